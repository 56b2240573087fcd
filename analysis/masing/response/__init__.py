"""Scans over parameters: responses over frequency and amplitude, maps, families of cycles."""
