"""Read tables of numbers: text files of programs, spreadsheets and testing machines, arrays, and records."""

import csv
import re
from collections import Counter
from contextlib import suppress
from functools import cached_property
from itertools import product
from os import PathLike
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from masing.errors import MasingError

# The options whose values are functions of t, those whose values are functions of s in [0, 1], and both.
OF_T = ("base_acceleration", "force", "incoming_velocity", "position")
OF_S = ("initial_u", "stiffness", "threshold", "threshold_down")
FUNCTIONS = OF_T + OF_S
# The numeric options that a scan can vary and that the program does not write with _.
VARIED = {"final_time": "final-time", "sample_every": "sample-every"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# Numbers with separated thousands, {separator of the thousands: expression}.
GROUPED = {",": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"),
           ".": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?")}
# A line that is only drawn, such as that below the heading of a table in Markdown.
RULE = re.compile(r"(?=.*--)[\s|:+=-]+")
# A unit in brackets, or behind a comma, a slash or a blank at the end of a heading, and a unit that stands alone.
IN_BRACKETS = re.compile(r"\s*[\[(]([^])]*)[\])]")
SYMBOL = r"[µm]m|cm|m|in|[km]?n|lbf|kips?|m?s|sec"
UNIT = re.compile(rf"\s*[,/]\s*(.*)|[\s_]+({SYMBOL})$", re.IGNORECASE)
ALONE = re.compile(rf"[\[(]?({SYMBOL}|%|-|)[\])]?", re.IGNORECASE)
# The cells in a row are counted in about so many lines, which are spread over the file.
PROBED = 200
# An array in a table of samples is written as this text, followed by its index.
ARRAY = "array:"
# What stands above the numbers of a record in PEER's format AT2.
AT2 = re.compile(r"NPTS *= *(\d+) *, *DT *= *([\d.eE+-]+).*\n", re.IGNORECASE)


class TextTable:
    """The table in a text file.

    `cells` are the texts of the cells as a DataFrame [rows, columns], and `lines` [rows] the numbers of their lines.
    `heading`, `names` and `units` are the words of the heading, these without units, and the units, each [columns], or
    [] if there is no heading.
    """

    def __init__(self, path):
        """Read a file, and raise MasingError if it cannot be read or contains no row of numbers.

        A row has as many cells as most lines. The heading is the last line of so many words above the rows, or the last
        such comment. Below it may be a line of units. A first row that only counts the rows and columns is left out.
        """
        self.path = Path(path)
        lines = text_of(self.path).splitlines()
        named = re.fullmatch(r"sep=(.)", lines[0].strip()) if lines else None
        lines, mark = (["", *lines[1:]], named[1]) if named else (lines, None)
        body = [n for n, line in enumerate(lines)
                if line.strip() and line.lstrip()[0] != "#" and not RULE.fullmatch(line)]
        probed = [(mark, tuple(map(is_number, words))) for mark, words in
                  (words_of(lines[n], mark) for n in body[::len(body) // PROBED + 1])]
        shapes = Counter(shape for shape in probed if any(shape[1]))
        if not shapes:
            raise MasingError(f"{path}: is empty, or has no row of numbers; give columns of numbers")
        (mark, numeric), _ = shapes.most_common(1)[0]

        def is_row(words, some=any):
            return len(words) == len(numeric) and some(is_number(word) for word, known in zip(words, numeric) if known)

        first = next(n for n in body if is_row(words_of(lines[n], mark)[1], all))
        above = [(n, *found) for n in reversed(range(first))
                 if (found := heading_of(lines[n], mark, len(numeric))) and not is_row(found[0])]
        above.sort(key=lambda each: each[0] not in body)
        begin = above[0][0] + 1 if above else next(n for n in body if is_row(words_of(lines[n], mark)[1]))
        below = above.pop(0)[1] if len(above) > 1 and all(map(ALONE.fullmatch, above[0][1])) else None
        n, self.heading, self.names, beside = above[0] if above else (None, [], [], [])
        self.in_comment, self.units = n not in body, [word.strip("[]() ") for word in below or beside]
        rows = [n for n in body if n >= begin]
        rows = rows[not above and words_of(lines[rows[0]], mark)[1] == [str(len(rows) - 1), str(len(numeric))]:]
        cells = [words_of(lines[n], mark)[1] for n in rows]
        for n, words in zip(rows, cells):
            if len(words) != len(numeric):
                raise MasingError(f"{path} line {n + 1} has {len(words)} cells, not {len(numeric)}; give every row in "
                                  "full")
        self.cells, self.lines = pd.DataFrame(cells), [n + 1 for n in rows]

    def texts(self, column):
        """Return the numbers in a column as texts that float() reads [rows], and "" for what is no number.

        The cells of the column that can be read in one way only decide what its points and commas mean, or else those
        of the other columns. Raises MasingError, which names both readings, if a comma may be either.
        """
        own, is_plain, row = self._evidence[column]
        every = set().union(*(needed for needed, _, _ in self._evidence.values()))
        decimal, cell = min(own or every, default="."), "" if own or row is None else self.cells[column][row]
        if len(own) == 2:
            raise MasingError(f"{self.path}: column {column + 1} has decimal points and decimal commas; give points")
        if cell and (len(every) == 2 or decimal not in cell and not (every and is_plain)):
            one, other = sorted((text_of_number(cell, mark) for mark in ",."), key=float)
            raise MasingError(f"{self.path} line {self.lines[row]}: '{cell}' may be {one} or {other}, and no other "
                              "number in its column shows which; give one of these")
        return [text_of_number(cell, decimal) for cell in self.cells[column]]

    @cached_property
    def _evidence(self):
        # {column: (the marks without which a cell is no number, whether it has numbers without a mark, and the first
        # row with a number of two readings or None)}
        result, has_comma = {}, any("," in cell for column in self.cells for cell in self.cells[column])
        for column in self.cells:
            needed, is_plain, either = set(), False, None
            for row, cell in enumerate(self.cells[column] if has_comma else ()):
                read = {mark: text for mark in ",." if (text := text_of_number(cell, mark))}
                needed |= read.keys() if len(read) == 1 else set()
                is_plain |= len(read) == 2 and read["."] == read[","]
                either = row if either is None and len(set(read.values())) == 2 else either
            result[column] = needed, is_plain, either
        return result


def text_of_number(cell, decimal):
    """Return the text of a cell whose decimal separator is `decimal` as float() reads it, or "" if it is no number."""
    group = "," if decimal == "." else "."
    text = cell.strip().replace("−", "-")
    if text[:1] == "," or text[-1:] == "," or group in text and not GROUPED[group].fullmatch(text):
        return ""
    text = re.sub(r"(?<=[\d.])[dD](?=[+-]?\d)", "e", text.replace(group, "").replace(decimal, "."))
    return text if NUMBER.fullmatch(text) else ""


def is_number(cell):
    """Return whether a cell is a number with a decimal point or a decimal comma."""
    return any(text_of_number(cell, mark) for mark in ".,")


def words_of(line, mark=None):
    """Return (separator, words) of a line; the separator is `mark` if it is given.

    Otherwise it is | for a line that begins with |, or the semicolon or the tab in the line. Without these, it is the
    comma in a line that has one, unless this consists of several numbers between blanks, whose commas are decimal ones.
    """
    line = line.strip(" \r")
    if mark is None:
        words = line.replace('"', "").split()
        mark = "|" if line[:1] == "|" else next((each for each in ";\t" if each in line), None) or (
            " " if "," not in line or len(words) > 1 and all(map(is_number, words)) else ",")
    words = next(csv.reader([line.strip("|") if mark == "|" else line], delimiter=mark, skipinitialspace=True), [])
    return mark, [word.strip().rstrip(", ") for word in words]


def heading_of(line, mark, count):
    """Return (words, names without units, units) of a line with `count` words, each [count], or None for another line.

    The words are separated by `mark`, as in the rows, or in another way; units may stand between separators, as in
    "x, mm, F, kN". The first word is "" where R writes no name above the names of rows.
    """
    line = line.lstrip("# ")
    own, bare = words_of(line, mark)[1], words_of(IN_BRACKETS.sub("", line))[1]
    for words in (own, words_of(line)[1], re.split(r"\s{2,}", line.strip()), ["", *own] if line[:1] == '"' else []):
        if len(words) == count:
            found = [IN_BRACKETS.search(word) or UNIT.search(word) for word in words]
            names = [UNIT.sub("", IN_BRACKETS.sub("", word)) for word in words]
            return words, names, [next(filter(None, each.groups()), "") if each else "" for each in found]
    if len(bare) == count:
        units = IN_BRACKETS.findall(line)
        return bare, bare, units if len(units) == count else [""] * count
    return (bare[::2], bare[::2], bare[1::2]) if len(bare) == 2 * count else None


def text_of(path):
    """Return the text of a file in UTF-8, UTF-16 or Windows-1252; raise MasingError if it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MasingError(f"{path}: cannot be read: {error.strerror}") from None
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise MasingError(f"{path}: is neither text nor an HDF5 file; give columns of numbers")


def pair(name, value):
    """Return the arrays (arguments, values) of a function that is given as a table.

    The table is two sequences [n], rows [n, 2], or an object of pandas or xarray with an index or with two columns, of
    which that called t or s, or else the first, has the arguments. Dates or durations become seconds from the first.
    """
    wanted = f"{name}: give {'(s, values)' if name in OF_S else '(t, f)'}, two arrays of numbers of one length"
    value = value.to_series() if hasattr(value, "to_series") else value
    if isinstance(value, pd.DataFrame) and value.shape[1] == 2:
        value = value.set_index(next((name for name in value if name in ("t", "s")), value.columns[0]))
    if isinstance(value, pd.Series | pd.DataFrame):
        index = value.index
        if isinstance(index, pd.RangeIndex):
            raise MasingError(f"{wanted}; the rows of this {type(value).__name__} are only counted")
        if index.dtype.kind in "mM":
            index = (index - index[0]) / np.timedelta64(1, "s")
        value = index, value.to_numpy().ravel()
    try:
        columns = [_doubles(each) for each in value]
        sizes = {each.shape for each in columns}
    except (TypeError, ValueError):
        sizes = ()
    if len(sizes) != 1 or len(columns) != 2 and sizes != {(2,)} or columns[0].ndim != 1:
        raise MasingError(wanted)
    if sizes == {(2,)} and len(columns) == 2 and not isinstance(value, tuple):
        raise MasingError(f"{wanted}; two rows of two may be rows or columns")
    return columns if len(columns) == 2 else np.array(columns).T


def _doubles(values):
    """Return an array of doubles, NaN where it is masked; raise TypeError for complex numbers and for dates."""
    if getattr(values, "dtype", None) is not None and values.dtype.kind in "cMm":
        raise TypeError
    return np.ma.filled(np.ma.asarray(values).astype(float), np.nan)


def of_at2(path):
    """Return the times from 0 and the values (t, a) of a record in PEER's format AT2."""
    text = text_of(Path(path))
    if (found := AT2.search(text)) is None:
        raise MasingError(f"{path}: is no record; above its numbers must stand NPTS= and DT=")
    try:
        numbers = np.array(text[found.end():].split(), dtype=float)
    except ValueError as error:
        raise MasingError(f"{path}: {error}; below NPTS= and DT= a record has numbers alone") from None
    if len(numbers) != int(found[1]):
        raise MasingError(f"{path}: has {len(numbers)} numbers, not NPTS = {found[1]}; give the whole record")
    return float(found[2]) * np.arange(len(numbers)), numbers


def with_samples(options):
    """Return the options of a scan, in which an entry {"force": [(t, f), …]} of `over` is a column of `samples`.

    The option `force` is then the expression force(t) of this column.
    """
    over = options.get("over") if isinstance(options.get("over"), dict) else {}
    records = {name: each for name, each in over.items() if name in FUNCTIONS and not isinstance(each, str)}
    if not records:
        return options
    if options.get("samples") is not None or options.keys() & records:
        raise MasingError(f"over={{{next(iter(records))!r}: …}}: this function or samples is given, too; give the "
                          "records as a column of samples, and the function as an expression of this column")
    rows = list(product(*records.values()))
    calls = {name: f"{name}({'t' if name in OF_T else 's'})" for name in records}
    return options | calls | {"samples": {name: [row[n] for row in rows] for n, name in enumerate(records)},
                              "over": {name: each for name, each in over.items() if name not in records}}


def write_samples(path, samples):
    """Write a table of samples, as scan() takes it, to an HDF5 file that the option `samples` may name."""
    try:
        table = pd.DataFrame(samples, dtype=object).rename(columns=VARIED)
    except (TypeError, ValueError) as error:
        raise MasingError(f"samples: {error}; give a DataFrame, {{column: values}}, or the path of a table") from None
    if table.empty:
        raise MasingError("samples: has no rows; give a row for each sample")
    arrays, known = [], {}

    def cell(name, value):
        if isinstance(value, str | PathLike) and str(value).lower().endswith(".at2"):
            value = of_at2(value)
        if isinstance(value, PathLike) or not hasattr(value, "__len__") or isinstance(value, str):
            return str(value)
        if id(value) not in known:
            known[id(value)] = f"{ARRAY}{len(arrays)}"
            arrays.append(pair(f"samples[{name!r}]", value))
        return known[id(value)]

    for n, name in enumerate(table.columns):
        table.isetitem(n, [cell(name, each) for each in table.iloc[:, n]])
    with h5py.File(path, "w") as file:
        file["samples/table"] = np.bytes_(table.to_csv(index=False, quoting=csv.QUOTE_ALL).encode("utf-8"))
        file["samples"].attrs["folder"] = str(Path.cwd())
        if arrays:
            file["samples/sizes"] = np.array([len(arguments) for arguments, _ in arrays], dtype=float)
            file["samples/arguments"] = np.concatenate([arguments for arguments, _ in arrays])
            file["samples/values"] = np.concatenate([numbers for _, numbers in arrays])
