"""Reads a shared library: its name, its dependencies, its symbols, and the pointers that the loader fills in."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

_NEEDED, _SONAME = 1, 14
_DYNAMIC, _RELA, _VERSIONS_NEEDED, _SYMBOL_VERSIONS = 6, 4, 0x6FFFFFFE, 0x6FFFFFFF
_DYNAMIC_SYMBOLS, _ONLY_IN_MEMORY = 11, 8
# Relocation types of x86-64 and aarch64: a pointer to a symbol, and a pointer into the library itself.
_POINTERS_TO_SYMBOLS = {1, 257}
_POINTERS_INSIDE = {8, 1027}


@dataclass(frozen=True)
class Symbol:
    """A symbol that a library defines or needs."""

    name: str
    is_defined: bool
    is_weak: bool
    is_function: bool
    version: str  # for a symbol that is needed; empty: any version
    value: int
    size: int


@dataclass(frozen=True)
class Pointer:
    """A word that the loader fills in: the address of a symbol, or (without a symbol) of a place in the library itself."""

    symbol: str
    addend: int


@dataclass(frozen=True)
class _Section:
    kind: int
    address: int
    offset: int
    size: int
    link: int
    info: int


class NotALibrary(Exception):
    """The file is not a shared library for 64-bit little-endian Linux."""


class Library:
    """A shared library, mapped rather than read: the file may be hundreds of megabytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            try:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:  # an empty file
                raise NotALibrary(f"{path} is empty") from None
        if self._bytes[:6] != b"\x7fELF\x02\x01":
            raise NotALibrary(f"{path} is no shared library for 64-bit little-endian Linux")

    def __enter__(self) -> Library:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bytes.close()

    @cached_property
    def needed(self) -> list[str]:
        """The names of the libraries that this one links to."""
        return [text for tag, text in self._dynamic_texts if tag == _NEEDED]

    @cached_property
    def soname(self) -> str:
        """The name by which others link to this one; its file name if it has none."""
        return next((text for tag, text in self._dynamic_texts if tag == _SONAME), self.path.name)

    @cached_property
    def symbols(self) -> list[Symbol]:
        """All symbols of the dynamic symbol table."""
        table = self._section(_DYNAMIC_SYMBOLS)
        if table is None:
            return []
        texts = self._text_table(table.link)
        versions = self._versions(table.size // 24)
        found = []
        for index, (name, info, _, section, value, size) in enumerate(self._rows("<IBBHQQ", table)):
            if name:
                found.append(Symbol(_text_at(texts, name), section != 0, info >> 4 == 2, info & 15 in (2, 10),
                                    versions[index] if section == 0 else "", value, size))
        return found

    def object_at(self, address: int, size: int) -> list[Pointer | int]:
        """The words of a constant object: pointers, or plain numbers."""
        words: list[Pointer | int] = []
        for at in range(address, address + size, 8):
            pointer = self._pointers.get(at)
            words.append(pointer if pointer is not None else self._word(at))
        return words

    def address_of(self, name: str) -> int:
        """The address of a symbol defined here; 0 if it is not."""
        return next((symbol.value for symbol in self.symbols if symbol.is_defined and symbol.name == name), 0)

    def text_at(self, address: int) -> str:
        """The text that starts at an address."""
        at = self._offset_of(address)
        return "" if at is None else self._bytes[at:self._bytes.find(b"\0", at)].decode()

    def holds(self, text: bytes) -> bool:
        """Whether the file contains these bytes."""
        return self._bytes.find(text) >= 0

    def bytes_after(self, text: bytes, count: int) -> bytes:
        """The bytes after the first occurrence of a text; empty if it does not occur."""
        at = self._bytes.find(text)
        return b"" if at < 0 else self._bytes[at + len(text):at + len(text) + count]

    @cached_property
    def constants(self) -> bytes:
        """The bytes of the read-only data section, which holds the texts."""
        names = self._text_table(struct.unpack_from("<H", self._bytes, 62)[0])
        for name, section in zip(self._section_names, self._sections):
            if _text_at(names, name) == ".rodata":
                return self._bytes[section.offset:section.offset + section.size]
        return b""

    @cached_property
    def _raw_sections(self) -> list[tuple[int, ...]]:
        (offset,) = struct.unpack_from("<Q", self._bytes, 40)
        size, count = struct.unpack_from("<HH", self._bytes, 58)
        return [struct.unpack_from("<IIQQQQIIQQ", self._bytes, offset + size * index) for index in range(count)]

    @cached_property
    def _sections(self) -> list[_Section]:
        return [_Section(kind, address, offset, size, link, info)
                for _, kind, _, address, offset, size, link, info, _, _ in self._raw_sections]

    @cached_property
    def _section_names(self) -> list[int]:
        return [row[0] for row in self._raw_sections]

    def _section(self, kind: int) -> _Section | None:
        return next((section for section in self._sections if section.kind == kind), None)

    def _rows(self, form: str, section: _Section) -> Iterator[tuple[int, ...]]:
        size = struct.calcsize(form)
        count = section.size // size
        return struct.iter_unpack(form, self._bytes[section.offset:section.offset + count * size])

    def _text_table(self, index: int) -> bytes:
        section = self._sections[index]
        return self._bytes[section.offset:section.offset + section.size]

    @cached_property
    def _dynamic_texts(self) -> list[tuple[int, str]]:
        section = self._section(_DYNAMIC)
        if section is None:
            return []
        texts = self._text_table(section.link)
        return [(tag, _text_at(texts, value)) for tag, value in self._rows("<QQ", section) if tag in (_NEEDED, _SONAME)]

    def _versions(self, count: int) -> list[str]:
        numbers = self._section(_SYMBOL_VERSIONS)
        if numbers is None:
            return [""] * count
        names = self._needed_versions
        return [names.get(number & 0x7FFF, "") for (number,) in self._rows("<H", numbers)]

    @cached_property
    def _needed_versions(self) -> dict[int, str]:
        section = self._section(_VERSIONS_NEEDED)
        found: dict[int, str] = {}
        if section is None:
            return found
        texts = self._text_table(section.link)
        at = section.offset
        for _ in range(section.info):
            _, count, _, first, following = struct.unpack_from("<HHIII", self._bytes, at)
            entry = at + first
            for _ in range(count):
                _, _, number, name, next_entry = struct.unpack_from("<IHHII", self._bytes, entry)
                found[number & 0x7FFF] = _text_at(texts, name)
                entry += next_entry
            at += following
        return found

    @cached_property
    def _pointers(self) -> dict[int, Pointer]:
        found: dict[int, Pointer] = {}
        symbols = self._section(_DYNAMIC_SYMBOLS)
        if symbols is None:
            return found
        texts = self._text_table(symbols.link)
        for section in self._sections:
            if section.kind != _RELA:
                continue
            for address, info, addend in self._rows("<QQq", section):
                kind = info & 0xFFFFFFFF
                if kind in _POINTERS_TO_SYMBOLS:
                    (name,) = struct.unpack_from("<I", self._bytes, symbols.offset + 24 * (info >> 32))
                    found[address] = Pointer(_text_at(texts, name), addend)
                elif kind in _POINTERS_INSIDE:
                    found[address] = Pointer("", addend)
        return found

    def _word(self, address: int) -> int:
        at = self._offset_of(address)
        return 0 if at is None else int(struct.unpack_from("<Q", self._bytes, at)[0])

    def _offset_of(self, address: int) -> int | None:
        for section in self._sections:
            if section.kind != _ONLY_IN_MEMORY and section.address <= address < section.address + section.size:
                return section.offset + address - section.address
        return None


def _text_at(texts: bytes, at: int) -> str:
    return texts[at:texts.index(b"\0", at)].decode()
