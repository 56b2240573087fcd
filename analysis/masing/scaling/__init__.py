"""Many ranks: the model of a step's time, and its figure."""
