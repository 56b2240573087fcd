"""How colours stand out from white, and how the colour-blind see them."""

import numpy as np

# Machado, Oliveira and Fernandes (2009), severity 1: what each kind of dichromat sees, in linear RGB.
DICHROMATS = {
    "deuteranope": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                             [-0.011820, 0.042940, 0.968881]]),
    "protanope": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                           [-0.003882, -0.048116, 1.051998]]),
    "tritanope": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                           [0.004733, 0.691367, 0.303900]]),
    "trichromat": np.eye(3),
}


def linear(colour):
    """The linear RGB [3] of #rrggbb."""
    encoded = np.array([int(colour[n:n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast_with_white(colour):
    """The contrast ratio of WCAG 2 of a colour and white."""
    return 1.05 / (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05)


def lab(rgb):
    """CIE L*a*b* [3] of a linear RGB, in which a distance of 2 is just noticed."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
