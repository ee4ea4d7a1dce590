package io.stoker.dispatcher.service.testing;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.fixture.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** How far a page that is open can be read and used by everybody. It no longer follows changes. */
public final class Accessibility {
  /** Opens what is folded, and notes what keys reach and press; nothing that is pressed is done. */
  private static final String KEYS =
      """
      (() => {
        const pause = document.querySelector('#pause:not([hidden])');
        if (pause && pause.getAttribute('aria-pressed') === 'false') pause.click();
        for (const one of document.querySelectorAll('details')) one.open = true;
        const actions = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
        const reached = new Set();
        const pressed = new Set();
        const unseen = new Set();
        let parts = 0;
        addEventListener('click', event => {
          event.preventDefault();
          event.stopImmediatePropagation();
          pressed.add(event.target);
        }, true);
        const pressedBy = one => one.matches('a, button, summary') ? 'Enter' : one.type === 'checkbox' ? ' ' : '';
        const seen = one => {
          const shape = one.getBoundingClientRect();
          const style = getComputedStyle(one);
          return one.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
            && shape.width > 0 && shape.right > 0 && shape.left < innerWidth && shape.bottom > 0 && shape.top < innerHeight;
        };
        window.keys = {
          next() {
            const one = document.activeElement;
            // The parts of a time, such as its month, have a place for Tab each.
            if (one.type === 'datetime-local' && reached.has(one) && ++parts < 20) return '';
            parts = 0;
            if (one === document.body || reached.has(one)) return null;
            reached.add(one);
            if (!seen(one)) unseen.add(one);
            return pressedBy(one);
          },
          beyond() {
            const all = [...document.querySelectorAll(actions)].filter(one => one.checkVisibility());
            const those = (what, fits) => all.filter(fits).map(one => `${what}: ${one.outerHTML.slice(0, 200)}`);
            return [
              ...those('not reached', one => !reached.has(one)),
              ...those('not pressed', one => reached.has(one) && pressedBy(one) && !pressed.has(one)),
              ...those('focus not seen', one => unseen.has(one)),
            ];
          },
        };
      })()
      """;

  private static final String AXE =
      """
      axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations']})
        .then(found => found.violations.flatMap(one =>
          one.nodes.map(node => `${one.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`)))
      """;

  private final Chromium.Tab tab;

  /** Of what a tab shows now. */
  public Accessibility(Chromium.Tab tab) throws IOException {
    this.tab = tab;
    try (InputStream axe = Accessibility.class.getResourceAsStream("/axe.min.js")) {
      tab.run(new String(axe.readAllBytes(), StandardCharsets.UTF_8) + "\n;0");
    }
    tab.run(KEYS);
  }

  /** What of it breaks a rule of WCAG 2.1, A or AA, that axe can check. */
  public List<String> violations() {
    return texts(tab.run(AXE));
  }

  /** What of it Tab does not lead to, does not show that it has the focus, or no key presses. */
  public List<String> beyondKeys() {
    // From the beginning, wherever the page has put the focus.
    tab.run(
        "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')");
    while (true) {
      tab.press("Tab");
      JsonNode key = tab.run("keys.next()");
      if (key.isNull()) {
        return texts(tab.run("keys.beyond()"));
      }
      if (!key.asText().isEmpty()) {
        tab.press(key.asText());
      }
    }
  }

  private static List<String> texts(JsonNode all) {
    List<String> texts = new ArrayList<>();
    all.forEach(one -> texts.add(one.asText()));
    return texts;
  }
}
