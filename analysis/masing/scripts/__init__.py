"""The scripts as modules; each has main(arguments), and run() for the command line."""
