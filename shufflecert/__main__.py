"""python -m shufflecert: the command."""

from verify.entry import main

if __name__ == "__main__":
    main()
