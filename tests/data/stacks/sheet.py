"""A program of several threads, with recursion, to be sampled."""

import re
import threading


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


class Sheet:
    def __init__(self) -> None:
        self.cells = {f"A{row}": row * 7 % 13 for row in range(2000)}

    def sums(self) -> int:
        return sum(self.value(name) for name in self.cells)

    def value(self, name: str) -> int:
        return self.cells[name] + len(re.sub("[0-9]+", lambda match: match[0][::-1], name))


def calculate() -> None:
    sheet = Sheet()
    for _ in range(400):
        sheet.sums()


def recurse() -> None:
    for _ in range(60):
        fib(18)
        for n in range(100):
            even(n)


def main() -> None:
    threads = [
        threading.Thread(target=calculate, name="sheet"),
        threading.Thread(target=recurse, name="numbers"),
    ]
    for thread in threads:
        thread.start()
    recurse()
    for thread in threads:
        thread.join()


main()
