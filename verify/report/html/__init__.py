"""HTML pages: of an answer, an audit, a certificate."""
