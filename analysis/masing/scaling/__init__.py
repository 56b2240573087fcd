"""Many ranks: the model of a step's time and its figure, and what the parts of a run cost."""
