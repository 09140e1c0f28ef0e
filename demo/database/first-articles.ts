import type { ArticleText } from './journal.js';

interface FirstArticle {
  readonly publishedAt: string;
  readonly en: ArticleText;
  readonly fr: ArticleText;
  /** One article has no German text yet, and is shown in English until then. */
  readonly de?: ArticleText;
}

/** The journal's contents at its first start. */
export const firstArticles: readonly FirstArticle[] = [
  {
    publishedAt: '2026-10-05T08:00:00Z',
    en: {
      title: 'A record for every request',
      body: 'A log contains what someone thought worth writing down. A record contains everything: what came in, which route handled it, what ran and for how long, what went out.\n\nOpen the newest one and look around. It was made for this very page.',
    },
    fr: {
      title: 'Une trace pour chaque requête',
      body: 'Un journal ne dit que ce qu’on a pensé à y écrire. La trace d’une requête dit tout : ce qui est arrivé, quelle route l’a prise, ce qui a tourné et combien de temps, ce qui est reparti.\n\nOuvrez la plus récente : elle est née avec cette page.',
    },
    de: {
      title: 'Zu jeder Anfrage eine Akte',
      body: 'Ein Protokoll erzählt, was jemand für erzählenswert hielt. Die Akte einer Anfrage erzählt alles: was hereinkam, welche Route es nahm, was lief und wie lange, was hinausging.\n\nÖffnen Sie die neueste. Sie entstand mit dieser Seite.',
    },
  },
  {
    publishedAt: '2026-10-12T08:00:00Z',
    en: {
      title: 'Why a missing page should explain itself',
      body: 'Most missing pages are one typo away from a page that exists. A router knows which one, so it can say so.\n\nTry it: remove one letter from the address above.',
    },
    fr: {
      title: 'Une page absente doit s’expliquer',
      body: 'La plupart des pages absentes sont à une faute de frappe d’une page qui existe. Le routeur sait lesquelles : qu’il le dise.\n\nEssayez : ôtez une lettre de l’adresse ci-dessus.',
    },
    de: {
      title: 'Eine fehlende Seite soll sich erklären',
      body: 'Die meisten fehlenden Seiten sind nur einen Tippfehler von einer vorhandenen entfernt. Ein Router weiß, von welcher, und kann es sagen.\n\nProbieren Sie es: Nehmen Sie oben aus der Adresse einen Buchstaben heraus.',
    },
  },
  {
    publishedAt: '2026-10-19T08:00:00Z',
    en: {
      title: 'One question instead of forty',
      body: 'A page that queries the database once for a list and then once for every row is fast on the first day and slow on the hundredth.\n\nNobody sees it in the code, because each line looks harmless. The count makes it obvious.',
    },
    fr: {
      title: 'Une question au lieu de quarante',
      body: 'Une page qui demande une liste, puis chaque ligne une à une, est rapide le premier jour et lente le centième.\n\nDans le code, cela ne se voit pas : chaque ligne a l’air innocente. Comptées, les requêtes parlent.',
    },
    de: {
      title: 'Eine Frage statt vierzig',
      body: 'Eine Seite, die erst eine Liste und dann jede Zeile einzeln abfragt, ist am ersten Tag schnell und am hundertsten langsam.\n\nIm Code sieht es niemand, denn jede Zeile wirkt harmlos. Gezählt ist es offensichtlich.',
    },
  },
  {
    publishedAt: '2026-10-26T08:00:00Z',
    en: {
      title: 'A promise no one waited for',
      body: 'A promise that fails after the response was sent takes its error with it. The reader saw a page; nobody saw the mistake.\n\nSomebody has to catch it, name it, and say which request it came from.',
    },
    fr: {
      title: 'Une promesse que personne n’attendait',
      body: 'Une promesse qui échoue après le départ de la réponse emporte son erreur. Le lecteur a vu une page ; la faute, personne.\n\nIl faut la rattraper, la nommer, et dire de quelle requête elle venait.',
    },
  },
  {
    publishedAt: '2026-11-02T08:00:00Z',
    en: {
      title: 'Two windows, two languages',
      body: 'Open this article in two windows, one in English and one in German, and change both at once. Neither will lose a word.\n\nEvery language has its own text, its own address and its own history.',
    },
    fr: {
      title: 'Deux fenêtres, deux langues',
      body: 'Ouvrez cet article dans deux fenêtres, l’une en français, l’autre en allemand, et modifiez les deux à la fois. Aucune ne perdra un mot.\n\nChaque langue a son texte, son adresse et son histoire.',
    },
    de: {
      title: 'Zwei Fenster, zwei Sprachen',
      body: 'Öffnen Sie diesen Artikel in zwei Fenstern, einmal auf Deutsch und einmal auf Englisch, und ändern Sie beide zugleich. Keines verliert ein Wort.\n\nJede Sprache hat ihren Text, ihre Adresse und ihre Geschichte.',
    },
  },
  {
    publishedAt: '2026-11-09T08:00:00Z',
    en: {
      title: 'Reading a stack trace',
      body: 'Start at the end: the innermost error is where it all started. Look for the first line that is yours, and only then at what called it.\n\nEverything else is scaffolding.',
    },
    fr: {
      title: 'Lire une pile d’appels',
      body: 'Commencez par la fin : l’erreur intérieure est celle qui a tout déclenché. Cherchez la première ligne qui est de vous, ensuite seulement qui l’a appelée.\n\nLe reste est l’immeuble qui vous abrite tous les deux.',
    },
    de: {
      title: 'Einen Aufrufstapel lesen',
      body: 'Beginnen Sie am Ende: Der innere Fehler hat alles ausgelöst. Suchen Sie die erste Zeile, die von Ihnen ist, und erst dann, wer sie aufrief.\n\nDer Rest ist das Haus, in dem Sie beide stehen.',
    },
  },
];
