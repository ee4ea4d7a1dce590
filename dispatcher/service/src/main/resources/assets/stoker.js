'use strict';
// Keeps an open view true: hears from the dispatcher that something of it has changed, fetches the
// view again, and changes what is other in it. What is read, focused, opened or typed stays.
(() => {
  const GAP = 250; // ms between two fetches at least
  const EASE = 4; // and so many times as long as the last one took
  const SILENT = 25000; // ms without a word: the connection is lost
  const main = document.getElementById('main');
  const lost = document.getElementById('lost');
  const pause = document.getElementById('pause');
  const live = main.dataset.live;
  let stream = null;
  let watchdog = 0;
  let again = 0;
  let tries = 0;
  let busy = false;
  let wanted = false;
  let paused = false;

  // What is shown.
  function attributes(old, now) {
    for (const { name } of [...old.attributes]) {
      if (!now.hasAttribute(name) && !(name === 'open' && old.localName === 'details')) old.removeAttribute(name);
    }
    for (const { name, value } of now.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  }

  function morph(old, now) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== now.data) old.data = now.data;
      return;
    }
    if (old.hasAttribute('data-own') || old.isEqualNode(now)) return;
    attributes(old, now);
    const named = new Map([...now.children].filter(one => one.id).map(one => [one.id, one]));
    for (const one of [...old.children]) {
      if (one.id && !named.has(one.id)) one.remove();
    }
    const mine = new Map([...old.children].filter(one => one.id).map(one => [one.id, one]));
    let at = old.firstChild;
    for (const next of [...now.childNodes]) {
      const fits = next.id ? mine.get(next.id) : at && at.nodeName === next.nodeName && !at.id ? at : null;
      if (!fits || fits.nodeName !== next.nodeName) {
        old.insertBefore(document.importNode(next, true), at);
        continue;
      }
      if (fits === at) at = at.nextSibling;
      else old.insertBefore(fits, at);
      morph(fits, next);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  function show(text) {
    const page = new DOMParser().parseFromString(text, 'text/html');
    const next = page.getElementById('main');
    const focused = document.activeElement;
    morph(main, next);
    if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    document.title = page.title;
    if (main.dataset.live !== watched) listen();
    follow();
  }

  async function refresh() {
    wanted = true;
    if (busy || paused || document.hidden) return;
    busy = true;
    wanted = false;
    const began = performance.now();
    let wait = GAP;
    try {
      const answer = await fetch(location.href, { headers: { Accept: 'text/html' }, cache: 'no-store' });
      if (answer.status === 401 || answer.redirected) location.reload();
      else if (answer.ok) {
        show(await answer.text());
        wait = Math.max(GAP, EASE * (performance.now() - began));
        found();
      } else {
        missed('The dispatcher cannot answer');
        wanted = true;
        wait = 2000;
      }
    } catch (trouble) {
      missed('The connection to the dispatcher is lost');
      wanted = true;
      wait = 2000;
    }
    setTimeout(() => {
      busy = false;
      if (wanted) refresh();
    }, wait);
  }

  // The connection.
  let watched = null;
  let since = null;

  function missed(what) {
    since = since || new Date();
    lost.textContent = `${what} since ${since.toLocaleTimeString()}. What is shown may be old. Trying again…`;
    lost.classList.add('on');
    label();
  }

  function found() {
    if (!since) return;
    since = null;
    lost.textContent = '';
    lost.classList.remove('on');
    label();
  }

  function label() {
    pause.textContent = paused ? 'paused' : since ? 'lost' : 'live';
    pause.className = `live ${pause.textContent}`;
    pause.setAttribute('aria-pressed', String(paused));
    pause.title = paused ? 'Follow changes again' : 'Stop following changes';
  }

  function heard() {
    clearTimeout(watchdog);
    watchdog = setTimeout(broken, SILENT);
  }

  function broken() {
    close();
    missed('The connection to the dispatcher is lost');
    // All pages that a restart has cut off come back, and not all at once.
    const wait = Math.min(8000, 500 * 2 ** Math.min(tries++, 4)) * (0.5 + Math.random());
    again = setTimeout(listen, wait);
  }

  function close() {
    clearTimeout(watchdog);
    clearTimeout(again);
    if (stream) stream.close();
    stream = null;
  }

  function listen() {
    close();
    watched = main.dataset.live;
    if (paused || document.hidden || !watched) return;
    stream = new EventSource(`/page/changes?${watched}`);
    stream.onopen = () => {
      tries = 0;
      heard();
    };
    stream.onerror = broken;
    stream.addEventListener('alive', heard);
    stream.addEventListener('changed', () => {
      heard();
      refresh();
    });
    heard();
  }

  // A job's output.
  const MOST = 2000000; // characters that are kept on the page
  let log = null;

  function follow() {
    const pre = main.querySelector('[data-log]');
    if (!pre) return;
    tools(pre);
    if (pre.dataset.over || log || document.hidden) return;
    const rank = main.querySelector('#log-rank')?.value || '';
    log = new EventSource(`${pre.dataset.log}?from=${pre.dataset.seen || 0}&timestamps=${times().checked}${rank && '&rank=' + rank}`);
    log.onmessage = event => {
      const said = JSON.parse(event.data);
      const below = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
      if (said.left) append(pre, `[${said.left.toLocaleString()} characters are left out here: the whole log has them]\n`);
      append(pre, said.text);
      pre.dataset.seen = event.lastEventId;
      if (below && pre.scrollHeight > pre.clientHeight) pre.scrollTop = pre.scrollHeight;
    };
    log.addEventListener('done', () => {
      pre.dataset.over = 'true';
      leave();
    });
  }

  let all = '';
  let leftOut = ''; // said of what is no longer kept

  function append(pre, text) {
    all += text;
    if (all.length > MOST) {
      all = all.slice(all.indexOf('\n', all.length - MOST / 2) + 1);
      leftOut = '[the beginning is left out here: Download has all]\n';
      sift(pre);
    } else if (sifted()) sift(pre);
    else pre.append(text);
  }

  // Which lines of it are shown.
  const search = () => main.querySelector('#log-search');
  const fold = () => main.querySelector('#log-fold');
  const times = () => main.querySelector('#log-times');
  const PROTOCOL = /^(\d{4}-\S+Z )?(\[\d+( [^\]\s]+)?\] )?#stoker:/; // a gang's lines say whose they are

  function sifted() {
    return search().value !== '' || fold().checked;
  }

  function sift(pre) {
    const wanted = search().value.toLowerCase();
    const lines = all.split('\n');
    const kept = lines.filter(line => (!fold().checked || !PROTOCOL.test(line)) && line.toLowerCase().includes(wanted));
    pre.textContent = leftOut + kept.join('\n');
    const folded = fold().checked ? lines.filter(line => PROTOCOL.test(line)).length : 0;
    main.querySelector('#log-found').textContent = [wanted && `${kept.filter(line => line).length} lines`, folded && `${folded} folded`].filter(Boolean).join(', ');
  }

  function tools(pre) {
    const bar = main.querySelector('#log-tools');
    if (!bar || !bar.hidden) return;
    bar.hidden = false;
    search().addEventListener('input', () => sift(pre));
    fold().addEventListener('change', () => sift(pre));
    for (const choice of main.querySelectorAll('#log-times, #log-rank')) choice.addEventListener('change', () => restart(pre));
  }

  // From its beginning, since what is shown already has not what is chosen.
  function restart(pre) {
    leave();
    all = leftOut = '';
    delete pre.dataset.seen;
    delete pre.dataset.over;
    sift(pre);
    follow();
  }

  function leave() {
    if (log) log.close();
    log = null;
  }

  // Views that people have named, kept in this browser.
  const VIEWS = 'stoker-views';

  function named() {
    try {
      return JSON.parse(localStorage.getItem(VIEWS)) || {};
    } catch (trouble) {
      return {};
    }
  }

  function made(tag, text, more) {
    return Object.assign(document.createElement(tag), { textContent: text }, more);
  }

  function views() {
    const place = main.querySelector('#views');
    if (!place) return;
    const keep = all => {
      localStorage.setItem(VIEWS, JSON.stringify(all));
      views();
    };
    place.replaceChildren();
    for (const [name, query] of Object.entries(named())) {
      const one = made('span', '');
      const drop = made('button', '×', { type: 'button', className: 'quiet', title: `Forget the view ${name}` });
      drop.setAttribute('aria-label', drop.title);
      drop.addEventListener('click', () => {
        const rest = named();
        delete rest[name];
        keep(rest);
      });
      one.append(made('a', name, { href: `/requests${query}` }), drop);
      place.append(one);
    }
    const form = made('form', '');
    const name = made('input', '', { required: true, maxLength: 60, placeholder: 'name of this view' });
    name.setAttribute('aria-label', 'Name of this view');
    form.append(name, made('button', 'Save view'));
    form.addEventListener('submit', event => {
      event.preventDefault();
      keep({ ...named(), [name.value.trim()]: location.search });
    });
    place.append(form);
    place.hidden = false;
  }

  // Times go on.
  function ago(seconds) {
    return seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
  }

  function tick() {
    if (document.hidden || paused) return;
    for (const one of main.querySelectorAll('time.ago')) {
      const text = ago(Math.max(0, Math.floor((Date.now() - Date.parse(one.dateTime)) / 1000)));
      if (one.textContent !== text) one.textContent = text;
    }
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      close();
      leave();
    } else {
      follow();
      listen();
    }
  });
  follow();
  views();
  if (live) {
    pause.hidden = false;
    label();
    pause.addEventListener('click', () => {
      paused = !paused;
      label();
      listen();
    });
    setInterval(tick, 1000);
    listen();
  }
})();
