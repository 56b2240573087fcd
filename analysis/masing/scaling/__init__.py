"""Predictions for many ranks: a model of the time of a step with its figure, and the costs of the parts of a run."""
