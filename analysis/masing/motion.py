"""The equation of motion of a result: which terms it has, and what its forces are called wherever they are shown."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Motion:
    """Which terms of m y′ = F − m a_g − c y − k₀ x − S a result has; without a slab its model has other forces."""

    has_slab: bool
    has_mass: bool
    is_damped: bool
    base_moves: bool

    force = property(lambda self: "F − m a_g" if self.base_moves else "F",
                     doc="/series/force, which does the work /energy/input.")
    force_over_time = property(lambda self: "F(t) − m a_g(t)" if self.base_moves else "F(t)", doc="The same.")

    @property
    def restoring(self):
        """/series/restoring, the ordinate of a cycle: F less all other terms of the equation."""
        is_with_rest = self.is_damped or self.base_moves or not self.has_mass
        return "k₀ x + S" if self.has_slab and is_with_rest else "F − m x″" if self.has_mass else "F"

    labels = property(lambda self: {"force": f"force {self.force}", "restoring": f"restoring force {self.restoring}"},
                      doc="Labels of axes, by the names in /series.")


def motion(result):
    """The Motion of a Run, a Study or a Scan, by its configuration."""
    model, is_curve = result.model, getattr(result, "kind", None) == "closed curves"
    is_damped, moves = (bool(result.settings.get(key, "0").strip("-0.")) for key in ("damping", "base-acceleration"))
    label = result.attributes("series/force").get("label", "a_g" * moves)  # a scan has none
    return Motion(model.startswith("masing"), not (is_curve or model.endswith("quasistatic")), is_damped, "a_g" in label)


def restoring_of_all(results):
    """What the restoring force of all of the results is called, `f` where they differ."""
    names = {motion(each).restoring for each in results}
    return names.pop() if len(names) == 1 else "f"
