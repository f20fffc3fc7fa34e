"""Draws the point of a probe as a small SVG file, with the standard library alone."""

import json
import os


def main():
    with open(os.environ["SCIENTIST_PARAMS"], encoding="utf-8") as file:
        parameters = json.load(file)
    left, top = 100 + 90 * parameters["x"], 190 - 9 * parameters["y"]
    dataset = os.environ["SCIENTIST_DATASET"]
    picture = f"""<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 200 200">
<title>{dataset}: x {parameters["x"]}, y {parameters["y"]}</title>
<rect width="200" height="200" fill="white" stroke="black"/>
<circle cx="{left:.1f}" cy="{top:.1f}" r="5" fill="steelblue"/>
</svg>
"""
    with open(os.path.join(os.environ["SCIENTIST_OUT"], f"point-{dataset}.svg"), "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
