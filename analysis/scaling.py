#!/usr/bin/env python3
"""Predict strong and weak scaling to 100,000 ranks from a file of masing benchmark, and where more ranks stop helping.

A step costs the forcing, the pass over a slab (cells in cache or streamed from memory) and half an allreduce, whose
latency is measured within a host and assumed beyond it: --hop for each doubling of hosts.
"""

import cli

cli.require("h5py", "numpy", "matplotlib")

import math
from pathlib import Path

import scaling_figure
import style
from scaling_model import MOST_RANKS, read_machine

FORMATS = (".png", ".svg", ".pdf")
VARIANTS = ("both", "affine", "constant", "general")


def parser():
    """The command line of this script."""
    options = cli.Parser(description=__doc__)
    options.add_argument("file", metavar="BENCHMARK.h5", help="written by masing benchmark, best on all cores of a host")
    options.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the file)")
    options.add_argument("--hop", type=float, default=2.0, metavar="US",
                         help="assumed microseconds of an allreduce for each doubling of hosts (default 2)")
    options.add_argument("--host", type=int, metavar="RANKS", help="ranks of a host (default: as in the file)")
    options.add_argument("--variant", choices=VARIANTS, default="both",
                         help="what the kernel need not read: eta affine and k constant, ... (default both)")
    return options


def in_words(machine):
    """The fitted model and its crossovers, line by line."""
    measured = "measured" if machine.measured else "none measured: give a file of two ranks or more"
    lines = [
        f"variant {machine.variant}, hosts of {machine.host} rank{'s' if machine.host > 1 else ''}",
        f"compute    {machine.compute:.3g} cell-updates/s of a core, slabs up to {machine.cache:.3g} cells in cache",
        f"bandwidth  {machine.memory:.3g} cell-updates/s of a core, slabs far larger",
        f"latency    {1e6 * machine.alpha:.3g} us + {1e6 * machine.beta:.3g} us log2(ranks) within a host ({measured}), "
        f"+ {1e6 * machine.hop:.3g} us log2(hosts) (assumed)",
        f"a step     {1e9 * machine.fixed:.3g} ns beside the cells; engine memory {1e9 * machine.recall:.3g} ns in all",
        "         P   ranks at efficiency 1/2   quickest with ranks   speed-up   step there",
    ]
    for cells in scaling_figure.STRONG:
        best = machine.best_ranks(cells)
        step = float(machine.step(cells, best))
        lines.append(f"{cells:10.0e} {up_to_most(machine.worthwhile_ranks(cells)):>25} {up_to_most(best):>21} "
                     f"{float(machine.step(cells, 1)) / step:10.3g} {1e6 * step:9.3g} us")
    return [*lines, crossover(machine)]


def up_to_most(ranks):
    """A number of ranks, which where the search ends may be more."""
    return f">={ranks}" if ranks == MOST_RANKS else str(ranks)


def crossover(machine):
    """From which P on engine memory is quicker than the cells on any number of ranks."""
    cells = machine.memory_wins_from()
    if math.isinf(cells):
        return f"engine memory is never quicker than the cells on up to {MOST_RANKS} ranks"
    return (f"engine memory beats sweep on any number of ranks (up to {MOST_RANKS}) "
            + ("at every P" if cells == 1 else f"from P = {cells} on"))


def main(arguments):
    """Read the file, print the model and its crossovers, draw the figure, print its path."""
    options = parser().parse_args(arguments)
    if not 0 <= options.hop < math.inf:
        raise cli.UserError(f"--hop {options.hop}: must be a number of microseconds from 0 on")
    if options.host is not None and options.host < 1:
        raise cli.UserError(f"--host {options.host}: must be at least 1 rank")
    path = cli.output_path(options.output, Path(options.file), ".png", FORMATS)
    machine = read_machine(options.file, options.variant, 1e-6 * options.hop, options.host)
    cli.write_file(path, style.encoded(scaling_figure.scaling_figure(machine), path.suffix.lower()[1:]))
    print("\n".join(in_words(machine)))
    print(path)


if __name__ == "__main__":
    cli.run(main)
