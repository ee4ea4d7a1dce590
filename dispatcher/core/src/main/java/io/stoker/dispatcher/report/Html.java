package io.stoker.dispatcher.report;

/** Text in HTML, SVG and their attributes. */
final class Html {
  private Html() {}

  /** What stands for itself, whatever it holds; null is nothing. */
  static String escape(String text) {
    if (text == null) {
      return "";
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> {
                  // Control characters have no place in a page.
                  boolean shown = c >= ' ' && c != 0x7f || c == '\n' || c == '\t';
                  escaped.appendCodePoint(shown ? c : 0xfffd);
                }
              }
            });
    return escaped.toString();
  }
}
