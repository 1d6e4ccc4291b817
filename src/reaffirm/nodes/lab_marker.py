"""What tells a host of the lab from a real machine."""

#: The file that ``scripts/lab`` puts on its hosts. A machine without it is a real one.
LAB_MARKER = "/etc/reaffirm-lab"
