//! The output of programs, line by line.

/// How much of one line is looked at. Nothing bounds the output of a program.
const LINE_LIMIT: usize = 64 << 10;

/// Cuts bytes into lines. The part over the limit of a line is dropped.
#[derive(Default)]
pub struct Lines {
    line: Vec<u8>,
}

impl Lines {
    pub fn add(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_LIMIT.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                each(self.line.trim_ascii_end());
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_across_reads_and_bounded() {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        lines.add(b"a\nb", |line| seen.push(line.to_vec()));
        lines.add(b"c\n\n", |line| seen.push(line.to_vec()));
        lines.add(&vec![b'x'; 3 * LINE_LIMIT], |line| seen.push(line.to_vec()));
        lines.add(b"\n", |line| seen.push(line.to_vec()));
        let lengths: Vec<usize> = seen.iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2, 0, LINE_LIMIT]);
    }
}
