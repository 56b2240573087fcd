"""The scripts as modules; each has main(arguments), which the command line calls."""
