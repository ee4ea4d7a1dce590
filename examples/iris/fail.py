"""A job that fails, to show what becomes of it and of its dependents: it says why and exits 3."""
import sys

print("#stoker:progress 0.5", flush=True)
print(" ".join(sys.argv[1:]) or "this job always fails", file=sys.stderr)
sys.exit(3)
