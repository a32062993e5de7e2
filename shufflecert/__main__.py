"""python -m shufflecert: the command."""

from shufflecert.verify.entry import main

if __name__ == "__main__":
    main()
