"""The file formats, one module each; the table FORMATS in `files` lists them."""
