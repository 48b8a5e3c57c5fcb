"""Counts vowels; with the argument "scans", in a slower way."""

import cProfile
import sys


def is_vowel(letter):
    return letter in "aeiou"


def vowels(word):
    if "scans" in sys.argv:
        return sum(is_vowel("".join(list(word))[at]) for at in range(len(word)) for _ in range(9))
    return sum(is_vowel(letter) for letter in word)


def tally(text):
    found = {}
    for word in text.split(" "):
        count = vowels(word)
        found[count] = found.get(count, 0) + 1
    return found


def main():
    tally("the overall instrumentation of a straightforward program " * 200)


cProfile.run("main()", sys.argv[1])
