"""Which runs solve the same problem, so that their errors and their work may be compared."""

# What a configuration without the key means.
EXPRESSIONS = {"model": "masing", "stiffness": "1", "threshold": "s+0.1", "initial-u": "0",
               "force": "0.45*cos(0.5*t)", "position": ""}
NUMBERS = {"mass": 1, "k0": 0, "x0": 0, "y0": 0, "final-time": 500}


def problem(settings):
    """The data of the problem as a value that compares: the equations' functions and numbers, a [model] section."""
    words = tuple(settings.get(key, value).replace(" ", "") for key, value in EXPRESSIONS.items())
    numbers = tuple(_number(settings.get(key, value)) for key, value in NUMBERS.items())
    model = tuple(sorted((key, value) for key, value in settings.items() if "." in key))
    return words + numbers + model


def method(settings):
    """The scheme in t and the rule in s, (scheme, rule)."""
    return settings.get("scheme", "euler"), settings.get("rule", "right")


def _number(value):
    try:
        return float(value)
    except ValueError:
        return value
