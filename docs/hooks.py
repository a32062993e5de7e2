"""What mkdocs does beside its own work: documents and notebooks beside the code become pages, under their paths."""

import inspect
import json
import re
import subprocess
from html import escape
from pathlib import Path, PurePosixPath

from jinja2 import DictLoader
from latex2mathml.converter import convert
from mkdocs.structure.files import File
from nbconvert import MarkdownExporter

import shufflecert

ROOT = Path(__file__).resolve().parent.parent
BESIDE_THE_CODE = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "proofs/MAP.md",
    "proofs/QUESTIONS.md",
    "proofs/RESULTS.md",
    "proofs/SEARCHES.md",
    "protocols/gallery/FIELD.md",
    "verify/CERTIFICATE.md",
    "verify/RANDOMIZER.md",
)
# A notebook as the other pages are written: what a cell prints is a block, what it draws has words for those who listen
NOTEBOOK = """
{%- extends "markdown/index.md.j2" -%}
{%- block stream -%}
```text
{{ output.text | strip_ansi | trim }}
```
{% endblock stream %}
{%- block data_text scoped -%}
```text
{{ output.data["text/plain"] | strip_ansi | trim }}
```
{% endblock data_text %}
{%- block data_png -%}
![What this cell draws]({{ output.metadata.filenames["image/png"] | path2url }})
{% endblock data_png %}
"""
FENCED = re.compile(r"(^```.*?^```)", re.S | re.M)
TITLE = re.compile(r"^# ", re.M)
SCHEMA = "verify/answers.schema.json"
THE_ANSWERS = "<!-- the answers -->"  # on the page of the JSON: what each command answers with
THE_FACE = "<!-- the face -->"  # on the page of the API: all that `shufflecert` exports
CODE = re.compile(r"(`[^`]*`|\]\([^)]*\)|<[^>]*>)")  # and where links lead, and tags
FORMULA = re.compile(r"(\$\$?)(?=\S)([^$]+?)(?<=\S)\1")
POWER = re.compile(r"(?<=[\w)])\^(\([^()]*\)|-?\w+)")
TABLE, TAG = re.compile(r"<table>.*?</table>", re.S), re.compile(r"<[^>]*>")
CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.S)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")


def on_startup(command, dirty):
    """Lay the packages out as a wheel has them, for the tool that reads docstrings without running the code."""
    subprocess.run(["make", "--silent", ".typed"], cwd=ROOT, check=True)


def on_files(files, config):
    """Enter the documents and notebooks beside the code among the pages."""
    for name in BESIDE_THE_CODE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for path in sorted(ROOT.glob("notebooks/*.ipynb")):
        for name, content in _notebook(path).items():
            files.append(File.generated(config, name, content=content))
    files.append(File.generated(config, SCHEMA, abs_src_path=str(ROOT / SCHEMA)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Let links lead to pages where a file is one; the project's other files are named, since the site lacks them."""
    for place, made in ((THE_FACE, _face), (THE_ANSWERS, _answers)):
        markdown = markdown.replace(place, made()) if place in markdown else markdown
    markdown = _typeset(_under_one_title(markdown))
    inside = page.file.src_uri not in BESIDE_THE_CODE and not page.file.src_uri.startswith("notebooks/")
    here = (PurePosixPath("docs") if inside else PurePosixPath()) / page.file.src_uri

    def linked(found):
        text, target = found[1], found[2]
        if ":" in target or target.startswith("#"):
            return found[0]
        file, _, anchor = target.partition("#")
        path = _normal(here.parent / file)
        path = path.replace(".ipynb", ".md") if path.startswith("notebooks/") else path
        name = path.removeprefix("docs/")
        if files.get_file_from_path(name) is None or not (
            path.startswith(("docs/", "notebooks/")) or path in (*BESIDE_THE_CODE, SCHEMA)
        ):
            if not (ROOT / path).exists():
                return found[0]  # mkdocs says that it leads nowhere
            return text if "`" in text or "/" in text else f"{text} (`{path}`)"
        up = "../" * (len(PurePosixPath(page.file.src_uri).parts) - 1)
        return f"[{text}]({up}{name}{'#' * bool(anchor)}{anchor})"

    return LINK.sub(linked, markdown)


def on_page_content(html, page, config, files):
    """Above a page the others of its section, for windows in which the list at the side has no room.

    And in wide tables each cell is labelled with its column, which a telephone shows instead of columns.
    """
    html = TABLE.sub(_labelled, html)
    pages = [one for one in page.parent.children if one.is_page] if page.parent else []
    if len(pages) < 2:
        return html
    links = " ".join(
        f'<a href="{escape(one.file.url_relative_to(page.file))}"{" aria-current=page" * (one is page)}>'
        f"{escape(one.title)}</a>"
        for one in pages
    )
    return f'<nav class="section-pages" aria-label="Pages of this section">{links}</nav>{html}'


def _labelled(table):
    """A table of more than three columns whose cells say which column they are in."""
    heads = [escape(" ".join(TAG.sub("", head).split())) for head in re.findall(r"<th[^>]*>(.*?)</th>", table[0], re.S)]
    if len(heads) < 4:
        return table[0]

    def row(found):
        names = iter(heads)
        return CELL.sub(lambda one: f'<td{one[1]} data-label="{next(names, "")}"><div>{one[2]}</div></td>', found[0])

    return re.sub(r"<tr>.*?</tr>", row, table[0], flags=re.S).replace("<table>", '<table data-cards="">', 1)


def _notebook(path):
    """A notebook's page and its pictures, by their paths in the site; nothing is run: outputs are those it stores."""
    template = "notebook.md.j2"
    exporter = MarkdownExporter(extra_loaders=[DictLoader({template: NOTEBOOK})], template_file=template)
    name = f"notebooks/{path.stem}"
    page, made = exporter.from_filename(str(path), {"output_files_dir": f"{path.stem}_files", "unique_key": path.stem})
    return {f"{name}.md": page, **{f"notebooks/{file}": content for file, content in made["outputs"].items()}}


def _typeset(markdown):
    """Formulas between dollars become MathML, powers in sentences are raised; code is left alone."""
    pieces = FENCED.split(markdown)
    for i in range(0, len(pieces), 2):
        lines = FORMULA.sub(_formula, pieces[i]).splitlines(keepends=True)
        pieces[i] = "".join(line if line.startswith("    ") else _raised(line) for line in lines)
    return "".join(pieces)


def _formula(found):
    if found[1] == "$$":
        return convert(found[2], display="block")
    return f"<span>{convert(found[2])}</span>"  # in a span: where a line begins with <math>, Markdown ends a paragraph


def _raised(line):
    parts = CODE.split(line)
    parts[::2] = [POWER.sub(lambda power: f"<sup>{power[1].strip('()')}</sup>", part) for part in parts[::2]]
    return "".join(parts)


def _under_one_title(markdown):
    """A site's page has one title: later ones become headings."""
    pieces = FENCED.split(markdown)
    pieces[::2] = [TITLE.sub("## ", piece) for piece in pieces[::2]]
    return "".join(pieces).removeprefix("#")


def _normal(path):
    parts = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _face():
    """Every name that `shufflecert` exports, by kind, each for mkdocstrings to describe where it is defined."""
    kinds = {"Questions": [], "What is asked, and what answers": [], "What goes wrong": [], "Values": []}
    for name in sorted(shufflecert.__all__, key=str.lower):
        value = getattr(shufflecert, name)
        if inspect.isclass(value):
            kinds["What goes wrong" if issubclass(value, Exception) else "What is asked, and what answers"].append(name)
        else:
            kinds["Questions" if callable(value) else "Values"].append(name)
    return "\n".join(
        f"## {kind}\n" + "\n".join(_entry(name) for name in names) for kind, names in kinds.items() if names
    )


def _entry(name):
    value = getattr(shufflecert, name)
    if not hasattr(value, "__module__"):
        return f"### {name}\n"
    place = f"{value.__module__}.{value.__qualname__}"
    return f"::: {place}\n    options: {{heading: {name}, toc_label: {name}}}\n"


def _answers():
    """The schema of the answers as tables: one for each command, then one for each part."""
    schema = json.loads((ROOT / SCHEMA).read_text("utf-8"))
    lines = ["## Commands", "", "| command | answers with |", "|---|---|"]
    for command, answers in schema["commands"].items():
        lines.append(f"| {command if ' ' in command else f'`{command}`'} | {', or '.join(map(_type, answers))} |")
    for name, part in schema["$defs"].items():
        lines += ["", f"## {name}", "", part.get("description", "").replace("<", "&lt;")]
        if "properties" in part:
            lines += ["", "| key | holds | always there |", "|---|---|---|"]
        for key, held in part.get("properties", {}).items():
            always = "yes" if key in part.get("required", ()) else ""
            lines.append(f"| `{key}` | {_type(held)} | {always} |")
    return "\n".join(lines)


def _type(held):
    if "$ref" in held:
        name = held["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in held:
        return ", or ".join(_type(one) for one in held["anyOf"])
    if "enum" in held or "const" in held:
        return ", ".join(f"`{json.dumps(value)}`" for value in held.get("enum", [held.get("const")]))
    kind = {"null": "null", "string": "text", "array": "list", "object": "object"}.get(
        held.get("type"), held.get("type")
    )
    if isinstance(held.get("items"), dict):
        return f"{kind} of {_type(held['items'])}"
    if isinstance(held.get("additionalProperties"), dict):
        return f"{kind} of {_type(held['additionalProperties'])}"
    return kind or "anything"
