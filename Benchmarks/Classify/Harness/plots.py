"""Grouped bars as SVG."""

import math
from xml.sax.saxutils import escape

#: Colours that people with colour blindness can tell apart (Okabe and Ito 2008).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]


def round_up(value: float) -> float:
    """The next 1, 2, 2.5 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value)


def bars(
    title: str, groups: list[str], series: dict[str, list[float]], limit: tuple[str, float] | None = None
) -> str:
    """A group of bars for each entry of `groups`, with one bar for each of `series`. `limit` is a dashed line."""
    left, top, right, bottom = 60, 50, 560, 330
    largest = round_up(max([value for values in series.values() for value in values] + [limit[1] if limit else 0]))

    def height(value: float) -> float:
        return (bottom - top) * value / largest

    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="370" viewBox="0 0 760 370" '
        'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="26" font-weight="bold">{escape(title)}</text>']
    for part in range(5):
        value = largest * part / 4
        y = bottom - height(value)
        lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>')
        lines.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    step = (right - left) / len(groups)
    width = step * 0.8 / len(series)
    for place, group in enumerate(groups):
        start = left + step * place + step * 0.1
        lines.append(f'<text x="{start + step * 0.4:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(group)}</text>')
        for number, values in enumerate(series.values()):
            x, y = start + width * number, bottom - height(values[place])
            lines.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * 0.92:.1f}" height="{bottom - y:.1f}" '
                f'fill="{COLOURS[number % len(COLOURS)]}"/>')
            lines.append(
                f'<text x="{x + width * 0.46:.1f}" y="{y - 4:.1f}" text-anchor="middle" font-size="10">'
                f'{values[place]:.0f}</text>')
    for number, name in enumerate(series):
        y = top + 20 * number
        lines.append(f'<rect x="{right + 16}" y="{y}" width="12" height="12" fill="{COLOURS[number % len(COLOURS)]}"/>')
        lines.append(f'<text x="{right + 34}" y="{y + 11}">{escape(name)}</text>')
    if limit:
        y = bottom - height(limit[1])
        lines.append(
            f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#555555" stroke-dasharray="6 4"/>')
        lines.append(f'<text x="{right + 4}" y="{y + 4:.1f}">{escape(limit[0])} {limit[1]:.0f}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"
