//! gzip exactly as Go's `compress/gzip` writes it at its default level. Another compressor's output would
//! be as valid, but a string that differs from Terraform's is a change of whatever it is assigned to.
//!
//! These decide the bytes: matches of at least four bytes found through chains of hashes, taken one byte
//! late if the next is no better; blocks of 16,384 tokens; length-limited codes by package-merge; the
//! smallest of stored, fixed and dynamic form for each block.

use cty::budget;

/// The content with gzip's header and trailer.
pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut bits = BitWriter {
        out: vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
        pending: 0,
        count: 0,
    };
    Compressor::new(content).run(&mut bits);
    // Terraform flushes before it closes: two empty stored blocks.
    bits.stored_header(0, false);
    bits.stored_header(0, true);
    bits.out.extend(crc32(content).to_le_bytes());
    bits.out.extend((content.len() as u32).to_le_bytes());
    bits.out
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

const WINDOW: usize = 1 << 15;
const MIN_MATCH: usize = 4;
const MAX_MATCH: usize = 258;
const HASH_BITS: u32 = 17;
const BLOCK_TOKENS: usize = 1 << 14;
const MAX_STORED: usize = 65_535;

// The default compression level, 6.
const GOOD: usize = 8;
const LAZY: usize = 16;
const NICE: usize = 128;
const CHAIN: usize = 128;

#[derive(Clone, Copy)]
enum Token {
    Literal(u8),
    Match { length: usize, distance: usize },
}

struct Compressor<'a> {
    content: &'a [u8],
    /// How much of the content the window of 64 KiB reaches, and where it begins.
    window_end: usize,
    base: usize,
    index: usize,
    /// `None`: the start of the block has left the window.
    block_start: Option<usize>,
    tokens: Vec<Token>,
    heads: Vec<Option<u32>>,
    previous: Vec<Option<u32>>,
    chain_head: Option<u32>,
    length: usize,
    distance: usize,
    has_literal: bool,
}

impl<'a> Compressor<'a> {
    fn new(content: &'a [u8]) -> Compressor<'a> {
        Compressor {
            content,
            window_end: 0,
            base: 0,
            index: 0,
            block_start: Some(0),
            tokens: Vec::new(),
            heads: vec![None; 1 << HASH_BITS],
            previous: vec![None; WINDOW],
            chain_head: None,
            length: MIN_MATCH - 1,
            distance: 0,
            has_literal: false,
        }
    }

    fn run(&mut self, bits: &mut BitWriter) {
        while self.window_end < self.content.len() {
            if self.index - self.base >= 2 * WINDOW - (MIN_MATCH + MAX_MATCH) {
                self.base += WINDOW;
                self.block_start = self.block_start.filter(|start| *start >= self.base);
            }
            self.window_end = self.content.len().min(self.base + 2 * WINDOW);
            self.step(bits, false);
        }
        self.step(bits, true);
    }

    /// Goes on while there is enough to look ahead to, or to the end if there is no more to come.
    fn step(&mut self, bits: &mut BitWriter, is_last: bool) {
        loop {
            let lookahead = self.window_end - self.index;
            if lookahead < MIN_MATCH + MAX_MATCH && !is_last {
                return;
            }
            if lookahead == 0 {
                if std::mem::take(&mut self.has_literal) {
                    self.tokens
                        .push(Token::Literal(self.content[self.index - 1]));
                }
                if !self.tokens.is_empty() {
                    self.write_block(bits, self.index);
                }
                return;
            }
            budget::spend(1);
            if let Some(head) = self.insert(self.index) {
                self.chain_head = head;
            }
            let (previous_length, previous_distance) = (self.length, self.distance);
            (self.length, self.distance) = (MIN_MATCH - 1, 0);
            if lookahead > previous_length
                && previous_length < LAZY
                && let Some((length, distance)) = self.find_match(lookahead)
            {
                (self.length, self.distance) = (length, distance);
            }
            if previous_length >= MIN_MATCH && self.length <= previous_length {
                // The match that began one byte ago is the better one.
                self.tokens.push(Token::Match {
                    length: previous_length,
                    distance: previous_distance,
                });
                let end = self.index + previous_length - 1;
                for index in self.index + 1..end {
                    self.insert(index);
                }
                self.index = end;
                self.has_literal = false;
                self.length = MIN_MATCH - 1;
                if self.tokens.len() == BLOCK_TOKENS {
                    self.write_block(bits, self.index);
                }
            } else {
                if self.has_literal {
                    self.tokens
                        .push(Token::Literal(self.content[self.index - 1]));
                    if self.tokens.len() == BLOCK_TOKENS {
                        self.write_block(bits, self.index);
                    }
                }
                self.index += 1;
                self.has_literal = true;
            }
        }
    }

    /// Makes the position findable and gives the one before it with the same hash. `None`: too near to
    /// the end.
    fn insert(&mut self, index: usize) -> Option<Option<u32>> {
        if index + MIN_MATCH > self.window_end {
            return None;
        }
        let bytes = self.content.get(index..index + MIN_MATCH)?;
        let word = bytes
            .iter()
            .fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
        let hash = (word.wrapping_mul(0x1e35_a7bd) >> (32 - HASH_BITS)) as usize;
        let head = self.heads[hash].replace(index as u32);
        self.previous[index % WINDOW] = head;
        Some(head)
    }

    fn find_match(&self, lookahead: usize) -> Option<(usize, usize)> {
        let position = self.index;
        let oldest = self.base.max(position.saturating_sub(WINDOW));
        let mut candidate = self
            .chain_head
            .map(|head| head as usize)
            .filter(|head| *head >= oldest)?;
        let most = lookahead.min(MAX_MATCH);
        let nice = most.min(NICE);
        let mut best = None;
        let mut length = MIN_MATCH - 1;
        let tries = if length >= GOOD { CHAIN / 4 } else { CHAIN };
        let text = &self.content[position..position + most];
        for _ in 0..tries {
            budget::spend(1);
            if text.get(length) == self.content.get(candidate + length) {
                let found = text
                    .iter()
                    .zip(&self.content[candidate..])
                    .take_while(|(a, b)| a == b)
                    .count();
                if found > length && (found > MIN_MATCH || position - candidate <= 4096) {
                    length = found;
                    best = Some((found, position - candidate));
                    if found >= nice {
                        break;
                    }
                }
            }
            if candidate + WINDOW == position {
                break;
            }
            match self.previous[candidate % WINDOW].map(|previous| previous as usize) {
                Some(previous) if previous >= oldest => candidate = previous,
                Some(_) | None => break,
            }
        }
        best
    }

    fn write_block(&mut self, bits: &mut BitWriter, end: usize) {
        let stored = self.block_start.map(|start| &self.content[start..end]);
        self.block_start = Some(end);
        write_block(bits, &self.tokens, stored);
        self.tokens.clear();
    }
}

const LITERALS: usize = 286;
const DISTANCES: usize = 30;
const LENGTH_CODES: usize = 19;
const END_OF_BLOCK: usize = 256;
const CODE_ORDER: [usize; LENGTH_CODES] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// The code for a match length, and its extra bits with their number.
fn length_code(length: usize) -> (usize, u32, u32) {
    match length - 3 {
        255 => (285, 0, 0),
        rest @ 0..8 => (257 + rest, 0, 0),
        rest => {
            let extra = rest.ilog2() - 2;
            let code = 261 + 4 * extra as usize + ((rest >> extra) & 3);
            (code, (rest & ((1 << extra) - 1)) as u32, extra)
        }
    }
}

/// The code for a distance, and its extra bits with their number.
fn distance_code(distance: usize) -> (usize, u32, u32) {
    match distance - 1 {
        rest @ 0..4 => (rest, 0, 0),
        rest => {
            let extra = rest.ilog2() - 1;
            let code = 2 + 2 * extra as usize + ((rest >> extra) & 1);
            (code, (rest & ((1 << extra) - 1)) as u32, extra)
        }
    }
}

fn write_block(bits: &mut BitWriter, tokens: &[Token], stored: Option<&[u8]>) {
    let mut literal_counts = [0_u32; LITERALS];
    let mut distance_counts = [0_u32; DISTANCES];
    let mut extra_bits = 0;
    for token in tokens {
        match *token {
            Token::Literal(byte) => literal_counts[usize::from(byte)] += 1,
            Token::Match { length, distance } => {
                let (length, _, length_bits) = length_code(length);
                let (distance, _, distance_bits) = distance_code(distance);
                literal_counts[length] += 1;
                distance_counts[distance] += 1;
                extra_bits += length_bits + distance_bits;
            }
        }
    }
    literal_counts[END_OF_BLOCK] += 1;
    let used = |counts: &[u32]| {
        counts
            .iter()
            .rposition(|count| *count > 0)
            .map_or(0, |last| last + 1)
    };
    let literals = used(&literal_counts);
    if used(&distance_counts) == 0 {
        distance_counts[0] = 1;
    }
    let distances = used(&distance_counts);
    let stored = stored.filter(|stored| stored.len() <= MAX_STORED);
    // Without the choice of storing, the extra bits count for nothing, as they are the same in both.
    let extra_bits = if stored.is_some() { extra_bits } else { 0 };

    let literal_code = Code::new(&literal_counts, 15);
    let distance_code = Code::new(&distance_counts, 15);
    let lengths: Vec<u8> = literal_code.lengths[..literals]
        .iter()
        .chain(&distance_code.lengths[..distances])
        .copied()
        .collect();
    let runs = run_lengths(&lengths);
    let mut run_counts = [0_u32; LENGTH_CODES];
    for run in &runs {
        run_counts[run.symbol] += 1;
    }
    let run_code = Code::new(&run_counts, 7);
    let run_codes = CODE_ORDER
        .iter()
        .rposition(|symbol| run_counts[*symbol] > 0)
        .map_or(4, |last| (last + 1).max(4));
    let header_size = 17
        + 3 * run_codes as u32
        + run_code.size_of(&run_counts)
        + runs.iter().map(|run| run.extra_bits).sum::<u32>();
    let dynamic_size = header_size
        + literal_code.size_of(&literal_counts)
        + distance_code.size_of(&distance_counts)
        + extra_bits;
    let (fixed_literals, fixed_distances) = fixed_codes();
    let fixed_size = 3
        + fixed_literals.size_of(&literal_counts)
        + fixed_distances.size_of(&distance_counts)
        + extra_bits;

    let size = dynamic_size.min(fixed_size);
    if let Some(stored) = stored
        && (stored.len() as u32 + 5) * 8 < size
    {
        bits.stored_header(stored.len(), false);
        bits.flush();
        bits.out.extend_from_slice(stored);
        return;
    }
    if dynamic_size >= fixed_size {
        bits.put(2, 3);
        return write_tokens(bits, tokens, &fixed_literals, &fixed_distances);
    }
    bits.put(4, 3);
    bits.put(literals as u32 - 257, 5);
    bits.put(distances as u32 - 1, 5);
    bits.put(run_codes as u32 - 4, 4);
    for symbol in &CODE_ORDER[..run_codes] {
        bits.put(u32::from(run_code.lengths[*symbol]), 3);
    }
    for run in &runs {
        bits.symbol(&run_code, run.symbol);
        bits.put(run.extra, run.extra_bits);
    }
    write_tokens(bits, tokens, &literal_code, &distance_code);
}

fn write_tokens(bits: &mut BitWriter, tokens: &[Token], literals: &Code, distances: &Code) {
    for token in tokens {
        match *token {
            Token::Literal(byte) => bits.symbol(literals, usize::from(byte)),
            Token::Match { length, distance } => {
                let (symbol, extra, extra_bits) = length_code(length);
                bits.symbol(literals, symbol);
                bits.put(extra, extra_bits);
                let (symbol, extra, extra_bits) = distance_code(distance);
                bits.symbol(distances, symbol);
                bits.put(extra, extra_bits);
            }
        }
    }
    bits.symbol(literals, END_OF_BLOCK);
}

#[derive(Clone, Copy)]
struct Run {
    symbol: usize,
    extra: u32,
    extra_bits: u32,
}

/// Code lengths in the form of a dynamic block's header, where repeated ones are counted.
fn run_lengths(lengths: &[u8]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = lengths;
    while let Some(&length) = rest.first() {
        let mut count = rest.iter().take_while(|other| **other == length).count();
        rest = &rest[count..];
        let plain = Run {
            symbol: usize::from(length),
            extra: 0,
            extra_bits: 0,
        };
        // Symbol, the fewest and the most it can stand for, and the bits to say how many.
        let repeats: &[(usize, usize, usize, u32)] = match length {
            0 => &[(18, 11, 138, 7), (17, 3, 10, 3)],
            _ => {
                runs.push(plain);
                count -= 1;
                &[(16, 3, 6, 2)]
            }
        };
        for &(symbol, least, most, extra_bits) in repeats {
            while count >= least {
                let taken = count.min(most);
                runs.push(Run {
                    symbol,
                    extra: (taken - least) as u32,
                    extra_bits,
                });
                count -= taken;
            }
        }
        runs.extend(std::iter::repeat_n(plain, count));
    }
    runs
}

/// A canonical Huffman code.
struct Code {
    lengths: Vec<u8>,
    /// With their bits in the order of writing.
    codes: Vec<u16>,
}

impl Code {
    /// The best code for symbols that occur so often, with codes of at most `most_bits` bits.
    fn new(counts: &[u32], most_bits: usize) -> Code {
        let mut symbols: Vec<usize> = (0..counts.len())
            .filter(|symbol| counts[*symbol] > 0)
            .collect();
        let mut lengths = vec![0; counts.len()];
        if symbols.len() <= 2 {
            symbols.iter().for_each(|symbol| lengths[*symbol] = 1);
            return Code::with_lengths(lengths);
        }
        symbols.sort_by_key(|symbol| counts[*symbol]);
        let weights: Vec<u64> = symbols
            .iter()
            .map(|symbol| u64::from(counts[*symbol]))
            .collect();
        for leaves in leaves_by_level(&weights, most_bits.min(symbols.len() - 1)) {
            // A symbol's code is as long as there are levels that take it.
            symbols[..leaves]
                .iter()
                .for_each(|symbol| lengths[*symbol] += 1);
        }
        Code::with_lengths(lengths)
    }

    fn with_lengths(lengths: Vec<u8>) -> Code {
        let mut codes = vec![0; lengths.len()];
        let mut code = 0_u16;
        for length in 1..=15_u8 {
            code <<= 1;
            for (symbol, _) in lengths
                .iter()
                .enumerate()
                .filter(|(_, other)| **other == length)
            {
                codes[symbol] = code.reverse_bits() >> (16 - length);
                code = code.wrapping_add(1);
            }
        }
        Code { lengths, codes }
    }

    /// Bits for symbols that occur so often.
    fn size_of(&self, counts: &[u32]) -> u32 {
        counts
            .iter()
            .zip(&self.lengths)
            .map(|(count, length)| count * u32::from(*length))
            .sum()
    }
}

/// How many of the leaves, which are sorted by weight, each level of package-merge takes.
fn leaves_by_level(weights: &[u64], levels: usize) -> Vec<usize> {
    // In each level leaves and pairs of the level below are merged by weight, pairs first among equals.
    let mut merged: Vec<Vec<(u64, bool)>> = Vec::new();
    for _ in 0..levels {
        let pairs: Vec<u64> = merged.last().map_or_else(Vec::new, |below| {
            below
                .chunks_exact(2)
                .map(|pair| pair[0].0 + pair[1].0)
                .collect()
        });
        let mut level: Vec<(u64, bool)> = pairs.into_iter().map(|weight| (weight, false)).collect();
        level.extend(weights.iter().map(|weight| (*weight, true)));
        level.sort();
        merged.push(level);
    }
    let mut wanted = 2 * weights.len() - 2;
    let mut leaves = Vec::new();
    for level in merged.iter().rev() {
        let taken = &level[..wanted.min(level.len())];
        let leaves_here = taken.iter().filter(|(_, is_leaf)| *is_leaf).count();
        leaves.push(leaves_here);
        wanted = 2 * (taken.len() - leaves_here);
    }
    leaves
}

fn fixed_codes() -> (Code, Code) {
    let literal_lengths = (0..288).map(|symbol| match symbol {
        0..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    });
    (
        Code::with_lengths(literal_lengths.collect()),
        Code::with_lengths(vec![5; 32]),
    )
}

struct BitWriter {
    out: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    fn put(&mut self, bits: u32, count: u32) {
        self.pending |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    fn symbol(&mut self, code: &Code, symbol: usize) {
        self.put(
            u32::from(code.codes[symbol]),
            u32::from(code.lengths[symbol]),
        );
    }

    /// Fills up the last byte.
    fn flush(&mut self) {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
    }

    fn stored_header(&mut self, length: usize, is_final: bool) {
        self.put(u32::from(is_final), 3);
        self.flush();
        self.put(length as u32, 16);
        self.put(!(length as u32) & 0xffff, 16);
    }
}
