//! Encodings with one byte for each character.

use encoding_rs::Encoding;

/// A character for each byte. U+FFFD: no character.
pub struct Bytes(Vec<char>);

impl Bytes {
    /// The table of a charset under its IANA name, and its other names.
    pub fn of(name: &str, names: &[&str]) -> Option<Bytes> {
        Some(match name {
            "ISO_8859-1:1987" => Bytes(LATIN_1.collect()),
            "ISO_8859-9:1989" => Bytes(LATIN_1.collect()).with(&[
                (0xd0, "Ğ"),
                (0xdd, "İŞ"),
                (0xf0, "ğ"),
                (0xfd, "ış"),
            ]),
            "IBM437" => Bytes::above_ascii(IBM_437),
            "IBM850" => Bytes::above_ascii(IBM_850),
            "IBM852" => Bytes::above_ascii(IBM_852),
            "IBM855" => Bytes::above_ascii(IBM_855),
            "IBM00858" => Bytes::above_ascii(IBM_850).with(&[(0xd5, "€")]),
            "IBM860" => Bytes::above_ascii(IBM_437).with(&[
                (0x84, "ãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕ"),
                (0x9d, "Ù₧Ó"),
                (0xa9, "Ò"),
            ]),
            "IBM862" => Bytes::above_ascii(IBM_437).with(&[(0x80, "אבגדהוזחטיךכלםמןנסעףפץצקרשת")]),
            "IBM863" => Bytes::above_ascii(IBM_437).with(&[
                (0x84, "Âà¶"),
                (0x8d, "‗À§ÉÈÊôËÏûù¤Ô"),
                (0x9d, "ÙÛƒ¦´óú¨¸³¯Î"),
                (0xad, "¾"),
            ]),
            "IBM865" => Bytes::above_ascii(IBM_437).with(&[(0x9b, "ø£Ø"), (0xaf, "¤")]),
            "IBM037" => Bytes(IBM_037.chars().collect()),
            "IBM01140" => Bytes(IBM_037.chars().collect()).with(&[(0x9f, "€")]),
            "IBM1047" => Bytes(IBM_037.chars().collect()).with(&[
                (0x5f, "^"),
                (0xad, "[Þ®¬"),
                (0xba, "Ý¨¯]"),
            ]),
            _ => Bytes::of_the_web(names)?,
        })
    }

    fn above_ascii(upper: &str) -> Bytes {
        Bytes(LATIN_1.take(128).chain(upper.chars()).collect())
    }

    /// The table with runs of other characters from some bytes on.
    fn with(mut self, runs: &[(usize, &str)]) -> Bytes {
        for (begin, run) in runs {
            for (place, character) in self.0[*begin..].iter_mut().zip(run.chars()) {
                *place = character;
            }
        }
        self
    }

    /// As the WHATWG's standard has it, but without the control characters that fill its gaps.
    fn of_the_web(names: &[&str]) -> Option<Bytes> {
        let encoding = names
            .iter()
            .find_map(|name| Encoding::for_label(name.as_bytes()))
            .filter(|encoding| encoding.is_single_byte())?;
        let character = |byte: u8| {
            let byte = [byte];
            let decoded = encoding.decode_without_bom_handling(&byte).0;
            let character = decoded.chars().next();
            character
                .filter(|character| !matches!(character, '\u{80}'..='\u{9f}'))
                .unwrap_or('\u{fffd}')
        };
        Some(Bytes((0..=255).map(character).collect()))
    }

    /// `None` where a character has no byte.
    pub fn encode(&self, text: &str) -> Option<Vec<u8>> {
        let byte = |wanted: char| {
            let place = self.0.iter().position(|character| *character == wanted)?;
            u8::try_from(place).ok().filter(|_| wanted != '\u{fffd}')
        };
        text.chars().map(byte).collect()
    }

    /// With U+FFFD for bytes that stand for nothing.
    pub fn decode(&self, bytes: &[u8]) -> String {
        bytes
            .iter()
            .map(|byte| self.0[usize::from(*byte)])
            .collect()
    }
}

const LATIN_1: std::ops::RangeInclusive<char> = '\u{0}'..='\u{ff}';

// The upper half of code pages that the web has no use for.
const IBM_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const IBM_850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
const IBM_852: &str = "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}";
const IBM_855: &str = "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐\
     └┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{ad}ыЫзЗшШэЭщЩчЧ§■\u{a0}";

/// EBCDIC.
const IBM_037: &str = "\u{0}\u{1}\u{2}\u{3}\u{9c}\u{9}\u{86}\u{7f}\u{97}\u{8d}\u{8e}\u{b}\u{c}\u{d}\u{e}\u{f}\u{10}\u{11}\u{12}\u{13}\u{9d}\u{85}\u{8}\u{87}\u{18}\u{19}\u{92}\u{8f}\u{1c}\u{1d}\u{1e}\u{1f}\u{80}\u{81}\u{82}\u{83}\u{84}\u{a}\u{17}\u{1b}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{5}\u{6}\u{7}\u{90}\u{91}\u{16}\u{93}\u{94}\u{95}\u{96}\u{4}\u{98}\u{99}\u{9a}\u{9b}\u{14}\u{15}\u{9e}\u{1a}\
     \u{20}\u{a0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
     Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×\
     {ABCDEFGHI\u{ad}ôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9f}";
