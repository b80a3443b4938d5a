"""Translates a program in a small part of C to other languages.

The general inverse geometric model is written once, in C. `read` reads it, and each other file is a language: mostly a
table of its words and how it refers to arrays. What a language cannot say in an expression, `lower` puts before it.
"""
