use std::collections::BTreeMap;

#[inline(never)]
fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

#[cfg(not(scans))]
#[inline(never)]
fn vowels(word: &str) -> usize {
    word.bytes().filter(|&letter| is_vowel(letter)).count()
}

#[cfg(scans)]
#[inline(never)]
fn vowels(word: &str) -> usize {
    (0..word.len()).filter(|&at| is_vowel(word.chars().nth(at).unwrap() as u8)).count()
}

#[inline(never)]
fn tally(text: &str) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for word in text.split(' ') {
        *found.entry(vowels(word)).or_insert(0) += 1;
    }
    found
}

fn main() {
    let text = "the overall instrumentation of a straightforward program ".repeat(20);
    println!("{:?}", tally(text.trim_end()));
}
