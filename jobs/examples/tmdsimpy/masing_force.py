#!/usr/bin/env python3
"""The Masing element as a hysteretic force of TMDSimPy, by ctypes on libmasing_material.

    force = MasingForce(Q, T, stiffness="1", threshold="s+0.1")
    system.add_nl_force(force)

It has the functions that TMDSimPy calls of its HystereticForce, with the same arguments and shapes, and needs
NumPy only; where TMDSimPy is installed it is one.

    python3 masing_force.py [LIBRARY]      balances harmonics of an oscillator, beside 100 sliders
"""

import ctypes
import sys
import time
from pathlib import Path

import numpy as np

try:
    from tmdsimpy.nlforces.nonlinear_force import HystereticForce
except ImportError:
    HystereticForce = object


def load(path=None):
    """The library with the types of the functions used here; `path`, or where an installation or a build has it."""
    above, name = Path(__file__).resolve().parents, "libmasing_material.so"
    near = [above[n] / folder / name for n, folder in ((5, "lib"), (3, "build"), (3, "build/dev")) if n < len(above)]
    library = ctypes.CDLL(str(path or next((file for file in near if file.exists()), f"{name}.3")))
    pointer, number, text = ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p
    for name, returns, takes in (("last_error", text, ()),
                                 ("material_continuum", pointer, (text, text, text, text, number)),
                                 ("material_free", None, (pointer,)),
                                 ("point_new", pointer, (pointer, number)),
                                 ("point_free", None, (pointer,)),
                                 ("point_set_trial", ctypes.c_int,
                                  (pointer, number, ctypes.POINTER(number), ctypes.POINTER(number))),
                                 ("point_commit", ctypes.c_int, (pointer,)),
                                 ("point_revert_to_start", ctypes.c_int, (pointer,))):
        function = getattr(library, f"masing_{name}")
        function.restype, function.argtypes = returns, takes
    return library


class Point:
    """One point of the continuum; functions of s as texts. Positions are relative to its start."""

    def __init__(self, stiffness, threshold, k0=0.0, library=None):
        self.library = library or load()
        material = self.library.masing_material_continuum(stiffness.encode(), threshold.encode(), None, None, k0)
        self.handle = material and self.library.masing_point_new(material, 0.0)
        self.library.masing_material_free(material)
        if not self.handle:
            raise ValueError(self.library.masing_last_error().decode())
        self.force, self.slope = ctypes.c_double(), ctypes.c_double()
        self.places = ctypes.byref(self.force), ctypes.byref(self.slope)

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.masing_point_free(self.handle)

    def set_trial(self, x):
        """Force and stiffness after a monotone move to x."""
        if self.library.masing_point_set_trial(self.handle, x, *self.places):
            raise ValueError(self.library.masing_last_error().decode())
        return self.force.value, self.slope.value

    def commit(self):
        """Moves to the last trial."""
        self.library.masing_point_commit(self.handle)

    def revert_to_start(self):
        """Forgets the past."""
        self.library.masing_point_revert_to_start(self.handle)


class History:
    """Which sample each force hangs on: the first of its leg, that is the last turning point that still matters;
    -1 on the curve from the start. By Madelung's rules, on samples of one displacement."""

    def __init__(self, start):
        self.start, self.last, self.direction = start, start, 0
        self.turns = []  # (index, position)

    def move(self, index, x):
        """The sample that the force at sample `index`, displacement x, hangs on."""
        direction = np.sign(x - self.last)
        if direction and self.direction and direction != self.direction:
            self.turns.append((index - 1, self.last))
        self.direction, self.last = direction or self.direction, x
        while self.turns:
            first = len(self.turns) == 1
            meeting = 2 * self.start - self.turns[0][1] if first else self.turns[-2][1]
            if self.direction * (x - meeting) < 0:
                break
            del self.turns[-1 if first else -2:]
        return self.turns[-1][0] if self.turns else -1


def harmonics(h, n):
    """cos and sin of the harmonics h at n times of a period, shape (n, Nhc), in TMDSimPy's order."""
    angle = 2 * np.pi * np.arange(n)[:, None] / n
    columns = [np.ones((n, 1)) if k == 0 else np.hstack([np.cos(k * angle), np.sin(k * angle)]) for k in h]
    return np.hstack(columns)


def coefficients(h, values):
    """Fourier coefficients of values (n, …) along the first axis, shape (Nhc, …)."""
    n = len(values)
    waves = harmonics(h, n)
    scale = np.where(np.abs(waves).sum(axis=0) == n, 1.0, 2.0)
    return np.tensordot((waves * scale).T / n, values, axes=1)


class MasingForce(HystereticForce):
    """Masing elements between Nnl local displacements Q x and as many forces T f.

    Q : (Nnl, N), T : (N, Nnl). stiffness, threshold: texts in s, or "points:s value; …"; k0: the spring that does
    not yield. Each local displacement has an element of its own. Over a period its sliders begin without force at the
    mean, as those of TMDSimPy's elements do, unless set_aft_initialize gave them another place; k0 has none at 0.
    """

    def __init__(self, Q, T, stiffness="1", threshold="s+0.1", k0=0.0, library=None):
        self.Q, self.T = np.atleast_2d(Q), np.atleast_2d(T)
        self.points = [Point(stiffness, threshold, k0, library) for _ in self.Q]
        self.k0, self.u0 = k0, None

    def nl_force_type(self):
        """Hysteretic."""
        return 1

    def set_aft_initialize(self, X):
        """Where the sliders have no force when a period begins, as displacements (N,) of the system."""
        self.u0 = self.Q @ X

    def starts(self, h, count, unlth0):
        """Where the sliders have no force, (Nnl,), and its derivative by the harmonics of a displacement, (Nhc,)."""
        derivative = np.zeros(count)
        if self.u0 is None and h[0] == 0:
            derivative[0] = 1.0
            return unlth0, derivative
        return np.zeros(len(self.Q)) if self.u0 is None else self.u0, derivative

    def init_history(self):
        """Every element at rest."""
        for point in self.points:
            point.revert_to_start()

    def force(self, X, update_hist=False):
        """Forces (N,) at the displacements X (N,), and their derivative (N, N)."""
        answers = []
        for point, u in zip(self.points, self.Q @ X):
            answers.append(point.set_trial(u))
            if update_hist:
                point.commit()
        f, slope = np.array(answers).T
        return self.T @ f, self.T @ (slope[:, None] * self.Q)

    def local_force_history(self, unlt, unltdot, h, cst, unlth0, max_repeats=2, atol=1e-10, rtol=1e-10):
        """Forces (Nt, Nnl) over the second of two periods of the displacements unlt (Nt, Nnl), after which they
        repeat; their derivatives (Nt, Nnl, Nnl, Nhc) by harmonics of displacement and of velocity. unlth0 (Nnl,): the
        zeroth harmonics."""
        del unltdot, max_repeats, atol, rtol
        n, count = unlt.shape
        ft = np.zeros((n, count))
        derivative = np.zeros((n, count, count, cst.shape[1]))
        starts, start_wave = self.starts(h, cst.shape[1], unlth0)
        for j, (point, start) in enumerate(zip(self.points, starts)):
            point.revert_to_start()
            history, of_turns = History(start), {-1: self.k0 * start_wave}
            for i, u in enumerate(np.tile(unlt[:, j], 2).tolist()):
                force, slope = point.set_trial(u - start)
                point.commit()
                base = history.move(i, u)
                # f = f(turn) + 2 B((u - u(turn)) / 2), B' = slope; from the start f = B(u - start) + k0 start.
                wave = cst[i % n] - (cst[base % n] if base >= 0 else start_wave)
                of_turns[i] = of_turns[base] + slope * wave
                ft[i % n, j], derivative[i % n, j, j] = force + self.k0 * start, of_turns[i]
        return ft, derivative, np.zeros_like(derivative)

    def aft(self, U, w, h, Nt=128, tol=1e-7, max_repeats=2, atol=1e-10, rtol=1e-10, calc_grad=True):
        """Harmonics of the forces (N Nhc,), their derivatives by U (N Nhc, N Nhc) and by w (N Nhc,)."""
        del tol, calc_grad  # the derivatives come with the forces
        h = np.asarray(h)
        cst = harmonics(h, Nt)
        u = self.Q @ U.reshape(cst.shape[1], -1).T
        ft, dfduh, _ = self.local_force_history(cst @ u.T, np.zeros((Nt, len(u))), h, cst, u[:, 0],
                                                max_repeats, atol, rtol)
        jacobian = coefficients(h, dfduh).transpose(0, 1, 3, 2)  # [component, f, component, u]
        local = jacobian.reshape(cst.shape[1] * len(u), -1)
        identity = np.eye(cst.shape[1])
        return ((self.T @ coefficients(h, ft).T).T.ravel(),
                np.kron(identity, self.T) @ local @ np.kron(identity, self.Q), np.zeros_like(U))


class SliderForce(MasingForce):
    """The same continuum, k = 1 and η = s + 0.1, as `count` sliders, which are moved one step after another."""

    def __init__(self, Q, T, count):  # pylint: disable=super-init-not-called
        self.Q, self.T, self.u0 = np.atleast_2d(Q), np.atleast_2d(T), None
        self.eta = 0.1 + (np.arange(count) + 0.5) / count

    def local_force_history(self, unlt, unltdot, h, cst, unlth0, max_repeats=2, atol=1e-10, rtol=1e-10):
        n, eta = len(unlt), self.eta
        ft, derivative = np.zeros((n, 1)), np.zeros((n, 1, 1, cst.shape[1]))
        u, by_waves = np.zeros(len(eta)), np.zeros((len(eta), cst.shape[1]))
        (last,), wave = self.starts(h, cst.shape[1], unlth0)
        for i, x in enumerate(np.tile(unlt[:, 0], 2)):
            u += x - last
            by_waves += cst[i % n] - wave
            yields = np.abs(u) > eta
            u = np.clip(u, -eta, eta)
            by_waves[yields] = 0.0
            ft[i % n], derivative[i % n] = u.mean(), by_waves.mean(axis=0)
            last, wave = x, cst[i % n]
        return ft, derivative, np.zeros_like(derivative)


def balance(force, frequency, strength, damping, h, samples, guess):
    """Harmonics (Nhc,) of x″ + c x′ + f(x) = F cos ωt, by Newton's iterations from `guess`."""
    linear, load = np.zeros((len(guess), len(guess))), np.zeros(len(guess))
    row = 0
    for k in h:
        if k:
            wk = k * frequency
            linear[row:row + 2, row:row + 2] = [[-wk**2, damping * wk], [-damping * wk, -wk**2]]
        if k == 1:
            load[row] = strength
        row += 2 if k else 1
    U, least, scale = guess.copy(), np.inf, 1.0
    for _ in range(100):
        f, jacobian, _ = force.aft(U, frequency, h, samples)
        residual = load - linear @ U - f
        size = np.linalg.norm(residual)
        if size < 1e-11:
            return U
        if size < least:
            last, least, scale = U, size, 1.0
            step = np.linalg.solve(linear + jacobian, residual)
        else:
            scale /= 2
        U = last + scale * step
    raise ArithmeticError(f"no balance at the frequency {frequency}")


def amplitudes(force, frequencies, h, samples=512, strength=0.45, damping=0.1):
    """(max x - min x)/2 at each frequency, each balance from the one before."""
    U, found = np.zeros(2 * len(h)), []
    for frequency in frequencies:
        U = balance(force, frequency, strength, damping, h, samples, U)
        x = harmonics(h, 8192) @ U
        found.append((x.max() - x.min()) / 2)
    return np.array(found)


def main():
    """Amplitudes at some frequencies by the element and by 100 sliders."""
    library = load(*sys.argv[1:2])
    frequencies, odd = np.linspace(1.4, 0.4, 6), np.arange(1, 16, 2)
    forces = {"Masing": MasingForce(1.0, 1.0, library=library), "100 sliders": SliderForce(1.0, 1.0, 100)}
    found, seconds = {}, {}
    for name, force in forces.items():
        start = time.perf_counter()
        found[name] = amplitudes(force, frequencies, odd)
        seconds[name] = time.perf_counter() - start
    print("frequency " + " ".join(f"{name:>14}" for name in forces))
    for i, frequency in enumerate(frequencies):
        print(f"{frequency:9.2f} " + " ".join(f"{found[name][i]:14.9f}" for name in forces))
    print("time, ms  " + " ".join(f"{1e3 * seconds[name]:14.1f}" for name in forces))
    print(f"100 sliders differ by {np.abs(found['100 sliders'] - found['Masing']).max():.2g}")


if __name__ == "__main__":
    main()
