"""Writes screen-vectors.jsonl: what the terminal emulator pyte shows for generated output.

ScreenModelTests compares the tests' own model of a terminal with it. To make it again:

    pip install pyte==0.8.2
    python3 make_screen_vectors.py > screen-vectors.jsonl
"""
import json
import random

import pyte
from wcwidth import wcwidth


def text(random):
    words = ["a", "bc", "wide 家", "é", "e\u0301", "x" * 7, " ", "日本語", "1234567890", "board> "]
    return "".join(random.choice(words) for _ in range(random.randint(1, 4)))


def command(random, columns, rows):
    kind = random.randint(0, 11)
    number = random.randint(1, 4)
    if kind == 0:
        return "\r\n"
    if kind == 1:
        return "\r"
    if kind == 2:
        # The column after a full row differs between terminals, so it is set too.
        return f"\x1b[{number}A\x1b[{random.randint(1, columns)}G"
    if kind == 3:
        return f"\x1b[{number}B\x1b[{random.randint(1, columns)}G"
    if kind == 4:
        return f"\x1b[{random.randint(1, columns)}G"
    if kind == 5:
        return "\r\x1b[J"
    if kind == 6:
        return "\r" + text(random)[:3] + "\x1b[K"
    if kind == 7:
        return "\x1b[H\x1b[2J"
    if kind == 8:
        return f"\x1b[90m{text(random)}\x1b[0m"
    if kind == 9:
        return "\x1b[?2004h"
    return text(random)


def is_whole(screen):
    """Whether no wide character has lost a half, which pyte does not show as terminals do."""
    for row in range(screen.lines):
        cells = [screen.buffer[row][column].data for column in range(screen.columns)]
        for column, cell in enumerate(cells):
            is_wide = cell != "" and wcwidth(cell[0]) == 2
            if is_wide != (column + 1 < screen.columns and cells[column + 1] == ""):
                return False
        if cells[0] == "":
            return False
    return True


def main():
    generator = random.Random(16)
    count = 0
    while count < 200:
        columns, rows = generator.randint(8, 30), generator.randint(3, 8)
        screen = pyte.Screen(columns, rows)
        stream = pyte.Stream(screen)
        output = "".join(command(generator, columns, rows) for _ in range(generator.randint(2, 25)))
        stream.feed(output)
        if not is_whole(screen):
            continue
        count += 1
        print(json.dumps({
            "columns": columns, "rows": rows, "output": output,
            "screen": [line.rstrip() for line in screen.display],
            "cursor": [screen.cursor.y, min(screen.cursor.x, columns - 1)],
        }))


main()
