"""What the tests look at of an HTML page."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The page: its words, the <data> values, all addresses, ids and alternative texts."""

    def __init__(self, html):
        super().__init__()
        self.words, self.values, self.addresses, self.ids, self.alternatives = "", [], [], [], []
        self._shown = True
        self.feed(html)
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._shown = tag != "style"
        self.words += " " if tag in ("td", "th") else ""
        self.addresses += [given[key] for key in ("src", "href") if key in given]
        self.ids += [given["id"]] if "id" in given else []
        self.values += [float(given["value"])] if tag == "data" else []
        self.alternatives += [given.get("alt", "")] if tag == "img" else []

    def handle_data(self, data):
        self.words += data if self._shown else ""
