"""The result of an identification: how it is concluded, its tables, pictures and reports."""
