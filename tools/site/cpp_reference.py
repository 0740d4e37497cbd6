"""The reference of the C++ headers: Doxygen's XML, in the form in which Breathe shows each header once.

Doxygen lists members of a namespace only with the namespace; this module moves them to the header that declares them, and
Breathe shows a header with all its members.
"""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path


def run_doxygen(root: Path, folder: Path) -> Path:
    """The XML of the public headers, in a folder below this one."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (root / "docs" / "Doxyfile").read_text(encoding="utf-8")
    headers = subprocess.run(["cmake", "-P", "cmake/ndsim_public_headers.cmake"], cwd=root, capture_output=True, text=True, check=True)
    settings += f"INPUT={' '.join(headers.stdout.split())}\n"
    settings += f"OUTPUT_DIRECTORY={folder}\nGENERATE_HTML=NO\nGENERATE_XML=YES\nXML_PROGRAMLISTING=NO\n"
    subprocess.run(["doxygen", "-"], cwd=root, input=settings, text=True, check=True)
    return folder / "xml"


def move_members_to_headers(folder: Path) -> list[str]:
    """Moves members to their headers; returns the headers as they are included."""
    trees = {file: ET.parse(file) for file in folder.glob("*.xml") if file.name != "index.xml"}
    compounds = [found for tree in trees.values() if (found := tree.getroot().find("compounddef")) is not None]
    headers = {_file_of(compound): compound for compound in compounds if compound.get("kind") == "file"}
    seen: set[str] = set()
    for namespace in [compound for compound in compounds if compound.get("kind") == "namespace"]:
        for section in namespace.findall("sectiondef"):
            for member in section.findall("memberdef"):
                section.remove(member)
                # A member of an inline namespace is also listed with the enclosing one.
                if (header := headers.get(_file_of(member))) is not None and member.get("id", "") not in seen:
                    seen.add(member.get("id", ""))
                    _name_in_full(member)
                    _section(header, section.get("kind", "")).append(member)
            namespace.remove(section)
    for header in headers.values():
        _remove(header, "innernamespace", lambda _: True)
    for compound in compounds:
        _remove(compound, "sectiondef", lambda section: section.get("kind", "").startswith("private"))
    for file, tree in trees.items():
        tree.write(file, encoding="utf-8")
    return sorted(headers)


def _file_of(element: ET.Element) -> str:
    location = element.find("location")
    return "" if location is None else location.get("file", "")


def _name_in_full(member: ET.Element) -> None:
    """Outside its namespace an alias would coincide with all others of its name."""
    name, full = member.find("name"), member.find("qualifiedname")
    if member.get("kind") == "typedef" and name is not None and full is not None:
        name.text = full.text


def _remove(compound: ET.Element, tag: str, goes: Callable[[ET.Element], bool]) -> None:
    for element in compound.findall(tag):
        if goes(element):
            compound.remove(element)


def _section(header: ET.Element, kind: str) -> ET.Element:
    found = header.find(f"sectiondef[@kind='{kind}']")
    return ET.SubElement(header, "sectiondef", {"kind": kind}) if found is None else found


def pages_of(headers: list[str]) -> dict[str, str]:
    """A page for each folder, by its name below reference/, and the index page."""
    folders: dict[str, list[str]] = defaultdict(list)
    for header in headers:
        folders[header.rpartition("/")[0]].append(header)
    pages = {}
    for folder, members in folders.items():
        lines = [f"{folder}/", "=" * (len(folder) + 1), ""]
        for header in members:
            name = header.rpartition("/")[2]
            lines += [name, "-" * len(name), "", f".. code-block:: cpp\n\n    #include <{header}>", "",
                      f".. doxygenfile:: {header}", ""]
        pages[f"cpp/{folder.replace('/', '-')}.rst"] = "\n".join(lines) + "\n"
    toc = "".join(f"    {page.removesuffix('.rst')}\n" for page in pages)
    pages["cpp.rst"] = ("C++ library\n===========\n\n"
                        "The installed headers, folder by folder. A rank program needs ``libsim/gpu.hpp`` and what is in\n"
                        "``libsim/collectives/``; ``ranks/launch.hpp`` runs it: :doc:`/docs/custom-scenario`.\n\n"
                        f".. toctree::\n    :maxdepth: 2\n\n{toc}")
    return pages
