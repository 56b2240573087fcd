"""Compute the motion of a slab without the program, to check the program's exact solution.

From one reversal of the motion to the next, each of SLIDERS springs that slide is moved by its definition, and scipy
integrates the motion of the mass. Nothing here is shared with the program.
"""

import ast
from bisect import bisect

import numpy as np
from scipy.integrate import solve_ivp

from masing.errors import MasingError

# The error of x of this number n of sliders at (i − ½)/n is some 1/n²; that of the integrator, whose steps go across the
# times at which sliders begin to slide, is larger.
SLIDERS = 100000
RELATIVE, ABSOLUTE = 1e-12, 1e-14  # the tolerances of a step
# The motion is given up if it takes more evaluations of the force than this, which are some 20 seconds.
MOST_EVALUATIONS = 500000
# The force is sampled at POINTS times to find its jumps. Smaller jumps than this part of its range are left to scipy.
POINTS, SMALLEST_JUMP = 20001, 0.01
NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd,
         ast.Call, ast.Name, ast.Load, ast.Constant)
FUNCTIONS = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "sqrt", "tanh", "abs")} | {
    "pi": np.pi, "square": lambda x: np.where(x - np.floor(x) < 0.5, 1.0, -1.0)}
# The keys of a configuration with data that motion() uses; other data must have their default.
NUMBERS = {"mass": 1.0, "k0": 0.0, "damping": 0.0, "x0": 0.0, "y0": 0.0}
OTHERS = ("threshold-down", "base-acceleration", "incoming-velocity")


def function(text, variable):
    """Return the function, also of arrays, that a text such as `0.45*cos(0.5*t)` describes.

    Raises MasingError if the text contains anything but numbers, the variable, + − * / ^ and the names in FUNCTIONS.
    """
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError):
        tree = None
    nodes, names = list(ast.walk(tree)) if tree else [None], {*FUNCTIONS, variable}
    if not all(isinstance(node, NODES) and getattr(node, "id", variable) in names
               and isinstance(getattr(node, "value", 0.0), (int, float)) for node in nodes):
        raise MasingError(f"the formula {text} is not evaluated without the program")
    for node in nodes:
        if isinstance(node, ast.Constant):
            node.value = float(node.value)  # Powers of Python's whole numbers could become too long.
    code = compile(tree, "<formula>", "eval")
    return lambda value: eval(code, {"__builtins__": {}}, FUNCTIONS | {variable: value}) + 0.0 * value


def motion(settings, times, sliders=SLIDERS):
    """Return x and y at the `times`, an array [2, samples], for a problem of the model masing with these settings.

    Raises MasingError if the problem has data that are not known here, or if the motion takes too long.
    """
    if unknown := [key for key in OTHERS if settings.get(key) not in (None, "", "0")]:
        raise MasingError(f"{unknown[0]} is not known without the program")
    try:
        mass, k0, damping, x, y = (float(settings.get(key) or default) for key, default in NUMBERS.items())
        end = float(settings["final-time"])
    except ValueError as mistake:
        raise MasingError(f"{mistake}: a number is not evaluated without the program") from None
    s = (np.arange(sliders) + 0.5) / sliders
    k, eta, u = (function(settings.get(key) or preset, "s")(s)
                 for key, preset in (("stiffness", "1"), ("threshold", "1"), ("initial-u", "0")))
    k, force, found, spent = k / sliders, function(settings["force"], "t"), np.full((2, len(times)), np.nan), 0
    start, state, stops = 0.0, np.array([x, y]), [*_jumps(force, end), end]
    while start < end:
        stop = min(each for each in stops if each > start)
        last = np.nextafter(stop, start)  # before a jump at `stop`
        # From rest, the motion starts in the direction of the force at this time or, if this is 0, a little later.
        way = np.sign(state[1]) or next((sign for later in (0, end * 1e-9) if (sign := np.sign(
            force(start + later) - k0 * state[0] - k @ u))), 1.0)
        leg = _leg(k, eta, u, way)

        def rates(t, at, leg=leg, from_=state[0], way=way, last=last):
            nonlocal spent
            spent += 1
            if spent > MOST_EVALUATIONS:
                raise MasingError(f"the motion takes more than {MOST_EVALUATIONS} evaluations of the force")
            restoring = leg(way * (at[0] - from_)) + k0 * at[0]
            return at[1], (force(min(t, last)) - damping * at[1] - restoring) / mass

        def velocity(t, at):
            return at[1]

        velocity.terminal, velocity.direction = True, -way
        done = solve_ivp(rates, (start, stop), state, "DOP853", rtol=RELATIVE, atol=ABSOLUTE, events=velocity,
                         dense_output=True)
        here = (times >= start) & (times <= done.t[-1])
        found[:, here] = done.sol(times[here])
        u = np.clip(u + (done.y[0, -1] - state[0]), -eta, eta)
        start, state = done.t[-1], np.array([done.y[0, -1], 0.0 if done.status == 1 else done.y[1, -1]])
    return found


def _leg(k, eta, u, way):
    """Return ∑ k u of sliders that move from u in the direction `way`, as a function of the distance d >= 0.

    A slider follows the motion up to the distance η − way u, at which its |u| is η.
    """
    order = np.argsort(ends := eta - way * u)
    of_ends = [0.0, *np.cumsum((k * ends)[order]).tolist()]
    following = [*np.cumsum(k[order][::-1])[::-1].tolist(), 0.0]
    ends, before = ends[order].tolist(), float(k @ u)

    def force(distance):
        passed = bisect(ends, distance)
        return before + way * (of_ends[passed] + following[passed] * distance)

    return force


def _jumps(force, end):
    """Return the times in (0, end) at which the force jumps, found by bisection to the last bit."""
    times = np.linspace(0, end, POINTS)
    values = force(times)
    least, found = SMALLEST_JUMP * np.ptp(values), []
    for low, high in zip(times[:-1][(far := np.abs(np.diff(values)) > least)], times[1:][far]):
        while low < (middle := 0.5 * (low + high)) < high:
            low, high = (middle, high) if abs(force(middle) - force(high)) > least else (low, middle)
        if abs(force(high) - force(low)) > least and 0 < high < end:
            found.append(high)
    return found
