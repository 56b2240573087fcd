"""Read tables of numbers: text files of programs, spreadsheets and testing machines, arrays, and records."""

import csv
import math
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

from masing.errors import MasingError, UsageError, quoted
from masing.values import OF_S, OF_T, VARIED, scalar

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

    `path` is the path of the file, `cells` the texts of the cells as a DataFrame [rows, columns] with the numbers of
    the columns as names, and `lines` [rows] are the numbers of their lines. `heading`, `names` and `units` are the
    words of the heading, these without units, and the units, each [columns], or [] if there is no heading.
    """

    def __init__(self, path):
        """Read a file, and raise MasingError if it cannot be read or contains no row of numbers.

        Commas, semicolons, tabs, blanks or, in Markdown, | separate the cells. A row has as many cells as most lines.
        The heading is the last line of words above the rows with so many words, or the last such comment; comments
        begin with #. Below it may be a line of units. A first row that only counts the rows and columns is left out.
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

        The cells of the column that can be read in one way only decide what its points and commas mean. If there are
        none, those of the other columns do; they decide that thousands are separated only where the column also has
        numbers without a mark. Raises MasingError, which names both readings, if a comma may be either.
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
        """{column: (the marks without which one of its cells is no number, whether it has numbers without a mark, and
        the first row with a number of two readings or None)}."""
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

    The table is two sequences [n], rows [n, 2], or an object of pandas or xarray, with at least two points of finite
    numbers. A list or an array of two pairs is refused, because they may be rows or columns.
    """
    if hasattr(value, "to_numpy"):
        value = _labelled(name, value)
    elif not isinstance(value, tuple) and _is_square(value):
        raise UsageError(f"{name}: two rows of two may be rows or columns; {_wanted(name)}")
    if isinstance(value, dict | set | bytes) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
        raise UsageError(f"{name}={quoted(value)}: is no table; {_wanted(name)}")
    try:
        columns = [_doubles(each) for each in value]
    except (TypeError, ValueError):
        raise UsageError(f"{name}: what is not a number is in its table; {_wanted(name)}") from None
    sizes = [len(each) if each.ndim == 1 else 0 for each in columns]
    if not sizes or 0 in sizes or len(sizes) != 2 and set(sizes) != {2}:
        raise UsageError(f"{name}: its table is no pair of arrays; {_wanted(name)}")
    if len(sizes) == 2 and sizes[0] != sizes[1]:
        raise UsageError(f"{name}: {sizes[0]} arguments and {sizes[1]} values; {_wanted(name)}")
    arguments, values = columns if len(sizes) == 2 else np.array(columns).T
    if len(values) == 1:
        raise UsageError(f"{name}: its table has one point; give two at least, or a number in place of the table")
    bad = np.flatnonzero(~np.isfinite(arguments) | ~np.isfinite(values))
    if len(bad):
        raise UsageError(f"{name}: row {bad[0] + 1} of its table is {arguments[bad[0]]:g}, {values[bad[0]]:g}; every "
                          "one needs finite numbers")
    return arguments, values


def _wanted(name):
    return f"give {'(s, values)' if name in OF_S else '(t, f)'}, two arrays of one length"


def _labelled(name, value):
    """Return the columns of an object of pandas or xarray; if there is only one, return (index, column).

    An index of dates or durations is returned in seconds from its first. An index that only counts is refused.
    """
    values = value.to_numpy()
    if values.ndim == 2 and values.shape[1] != 1:
        return tuple(values.T)
    index = dict(value.coords).get(value.dims[0]) if hasattr(value, "dims") else getattr(value, "index", None)
    if index is None or hasattr(index, "step"):  # only a RangeIndex has a step: it counts the rows
        raise UsageError(f"{name}: a {type(value).__name__} whose rows are only counted has no arguments; "
                          f"{_wanted(name)}, or an index of them")
    if getattr(index.dtype, "kind", "") in "mM":
        index = (index - index[0]) / np.timedelta64(1, "s")
    return index, values.ravel()


def _is_square(value):
    """Return whether a value consists of two pairs, which could be meant as two rows or as two columns of a table."""
    if hasattr(value, "shape"):
        return value.shape == (2, 2)
    return len(value) == 2 and all(isinstance(each, list | tuple) and len(each) == 2 for each in value)


def _doubles(values):
    """Return an array of doubles, NaN where it is masked; raise TypeError for complex numbers and for dates."""
    if getattr(values, "dtype", None) is not None and values.dtype.kind in "cMm":
        raise TypeError
    return np.ma.filled(np.ma.asarray(values).astype(float), math.nan)


def of_at2(path):
    """Return the times from 0 and the values (t, a) of a record in PEER's format AT2."""
    text = text_of(Path(path))
    if (found := AT2.search(text)) is None:
        raise MasingError(f"{path}: is no record; above its numbers must stand NPTS= and DT=")
    try:
        numbers, step = [float(word) for word in text[found.end():].split()], float(found[2])
    except ValueError as error:
        raise MasingError(f"{path}: {error}; below NPTS= and DT= a record has numbers alone") from None
    if len(numbers) != int(found[1]):
        raise MasingError(f"{path}: has {len(numbers)} numbers, not NPTS = {found[1]}; give the whole record")
    return [i * step for i in range(len(numbers))], numbers


def with_samples(options):
    """Return the options of a scan, in which functions that `over` varies are columns of `samples`.

    An entry {"force": [(t, f), …]} of `over` becomes a column `force` whose cells are these records. With a column
    `force` of records, and without the option `force`, this option becomes force="force(t)".
    """
    options, of_function = _with_records_from_over(options), OF_T + OF_S
    samples = options.get("samples")
    columns = dict(samples) if isinstance(samples, dict) or hasattr(samples, "columns") else {}
    calls = {name: f"{name}({'t' if name in OF_T else 's'})" for name in of_function
             if name in columns and options.get(name) is None
             and all(hasattr(each, "__len__") or isinstance(each, PathLike) for each in columns[name])}
    return options | calls


def _with_records_from_over(options):
    """Return the options of a scan, in which the lists of records in `over` are columns of `samples`."""
    over, of_function = options.get("over"), OF_T + OF_S
    over = {name: list(value) if name in of_function and hasattr(value, "__next__") else value
            for name, value in over.items()} if isinstance(over, dict) else {}
    functions = [name for name, value in over.items() if name in of_function and isinstance(value, list | tuple)]
    if not functions:
        return options
    for name in functions:
        if options.get(name) is not None or options.get("samples") is not None:
            raise UsageError(f"over={{{name!r}: …}}: {name} or samples is given, too; give the records as a column of "
                              f"samples, and {name} as an expression of this column")
        if not len(over[name]):
            raise UsageError(f"over={{{name!r}: …}}: is empty; give records")
        for each in over[name]:
            if isinstance(each, str) and not Path(each).is_file():
                raise UsageError(f"over[{name!r}]: {quoted(each)} is not the path of a record; give records, such as "
                                 "(t, f)")
            if not isinstance(each, str | PathLike):
                pair(f"over[{name!r}]", each)
    rows = list(product(*(over[name] for name in functions)))
    others = {name: value for name, value in over.items() if name not in functions}
    return options | {"samples": dict(zip(functions, map(list, zip(*rows)))), "over": others or None}


def write_samples(path, samples):
    """Write a table of samples to an HDF5 file that the option `samples` of a scan may name.

    `samples` is a pandas.DataFrame or {column: values}. A cell is a number, the path of a record, or a record as a
    table, such as a pair of arrays (t, a). The columns final_time and sample_every stand for these options.
    """
    try:
        columns = {str(name): list(column) for name, column in dict(samples).items()}
        has_twins = len(columns) != len(getattr(samples, "columns", dict(samples)))
        table = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    except (TypeError, ValueError):
        raise UsageError(f"samples={quoted(samples)}: give a DataFrame, {{column: values}}, or the path of a table") \
            from None
    if has_twins:
        raise UsageError("samples: two columns have the same name; give each its own")
    if not columns or 0 in map(len, columns.values()):
        raise UsageError("samples: has no rows; give a row for each sample")
    if len({len(cells) for cells in columns.values()}) != 1:
        raise UsageError("samples: its columns differ in length; give as many values in each")
    arrays, known = [], {}

    def cell(name, value):
        value = scalar(value)
        if value is None or callable(value):
            raise UsageError(f"samples[{name!r}]: {quoted(value)} is no cell; give a number, a path or a table")
        if isinstance(value, str | PathLike):
            if any(letter in str(value) for letter in '"\n\r'):
                raise UsageError(f"samples[{name!r}]: {quoted(value)} has a quotation mark or a line end; rename it")
            return str(value)
        if not hasattr(value, "__len__"):
            return repr(value)
        if id(value) not in known:
            known[id(value)] = f"{ARRAY}{len(arrays)}"
            arrays.append(pair(f"samples[{name!r}]", value))
        return known[id(value)]

    table = pd.DataFrame({name: [cell(name, value) for value in column] for name, column in table.items()})
    table = table.rename(columns=VARIED)
    with h5py.File(path, "w") as file:
        file["samples/table"] = np.bytes_(table.to_csv(index=False, quoting=csv.QUOTE_ALL).encode("utf-8"))
        file["samples"].attrs["folder"] = str(Path.cwd())
        if arrays:
            file["samples/sizes"] = np.array([len(arguments) for arguments, _ in arrays], dtype=float)
            file["samples/arguments"] = np.concatenate([arguments for arguments, _ in arrays])
            file["samples/values"] = np.concatenate([numbers for _, numbers in arrays])
