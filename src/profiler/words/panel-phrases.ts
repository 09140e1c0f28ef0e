/** Texts of the panels of a record. */
export const panelPhrases = {
  'Components, by what each took itself': [
    'Composants, selon le temps de chacun',
    'Komponenten nach ihrer eigenen Zeit',
  ],
  Itself: ['Seul', 'Eigene'],
  'With those within': ['Avec ceux qu’il contient', 'Mit enthaltenen'],
  '{n} further component|{n} further components': [
    '{n} composant de plus|{n} composants de plus',
    '{n} weitere Komponente|{n} weitere Komponenten',
  ],
  'Event loop': ['Boucle d’événements', 'Event-Loop'],
  'Held up': ['Retardée', 'Aufgehalten'],
  'Held up before it began, up to': [
    'Retardée avant son début, jusqu’à',
    'Vor dem Beginn aufgehalten, bis zu',
  ],
  '{time} by {token}': ['{time} par {token}', '{time} von {token}'],
  'Held up all other requests': ['A retardé toutes les autres requêtes', 'Hielt alle anderen Anfragen auf'],
  'It held up the event loop, and with it every other request, for {time}': [
    'Elle a retardé la boucle d’événements, donc toutes les autres requêtes, pendant {time}',
    'Sie hielt den Event-Loop und damit jede andere Anfrage {time} lang auf',
  ],
  'It waited up to {time} for {token}, which held up the event loop': [
    'Elle a attendu jusqu’à {time} la requête {token}, qui retardait la boucle d’événements',
    'Sie wartete bis zu {time} auf {token}, die den Event-Loop aufhielt',
  ],
  'Explain (does not run it)': ['Expliquer (sans l’exécuter)', 'Erklären (ohne Ausführung)'],
  'Queries of “{connection}” can be explained once this process has its client: recordQueries(client).': [
    'Les requêtes de « {connection} » peuvent être expliquées dès que ce processus a son client : recordQueries(client).',
    'Abfragen von „{connection}“ lassen sich erklären, sobald dieser Prozess deren Client hat: recordQueries(client).',
  ],
  'This query cannot be explained': [
    'Cette requête ne peut être expliquée',
    'Diese Abfrage lässt sich nicht erklären',
  ],
  'Only a SELECT of this record can be, that was kept whole, on a database of this process.': [
    'Seul un SELECT de cet enregistrement peut l’être, conservé en entier, sur une base de ce processus.',
    'Das geht nur mit einem vollständig aufgezeichneten SELECT dieser Aufzeichnung, auf einer Datenbank dieses Prozesses.',
  ],
  Plan: ['Plan', 'Plan'],
  'Plan for any values: not all recorded values are known': [
    'Plan pour des valeurs quelconques : toutes les valeurs enregistrées ne sont pas connues',
    'Plan für beliebige Werte: Nicht alle aufgezeichneten Werte sind bekannt',
  ],
  'Plan with NULL in place of the values: not all of them are known': [
    'Plan avec NULL à la place des valeurs : elles ne sont pas toutes connues',
    'Plan mit NULL anstelle der Werte: Nicht alle sind bekannt',
  ],
  'No plan: {reason}': ['Pas de plan : {reason}', 'Kein Plan: {reason}'],
  'Same visitor': ['Même visiteur', 'Derselbe Besucher'],
  'All requests of this visitor': ['Toutes les requêtes de ce visiteur', 'Alle Anfragen dieses Besuchers'],
  'redirected to': ['redirigée vers', 'weitergeleitet zu'],
  Database: ['Base de données', 'Datenbank'],
  'Same error': ['Même erreur', 'Derselbe Fehler'],
  'No queries. MikroORM, mysql2, Mongoose and pg report theirs; other clients by one line, recordQueries(client). See docs/taps.md.':
    [
      'Aucune requête SQL. MikroORM, mysql2, Mongoose et pg annoncent les leurs ; les autres clients par une ligne, recordQueries(client). Voir docs/taps.md.',
      'Keine Abfragen. MikroORM, mysql2, Mongoose und pg melden ihre; andere Clients mit einer Zeile, recordQueries(client). Siehe docs/taps.md.',
    ],
  '{n} failed query|{n} failed queries': [
    '{n} requête SQL en échec|{n} requêtes SQL en échec',
    '{n} fehlgeschlagene Abfrage|{n} fehlgeschlagene Abfragen',
  ],
  queries: ['requêtes SQL', 'Abfragen'],
  'in the database': ['dans la base', 'in der Datenbank'],
  failed: ['en échec', 'fehlgeschlagen'],
  'Flushes: {flushes}, commits: {commits}, rollbacks: {rollbacks}': [
    'Flushs : {flushes}, commits : {commits}, rollbacks : {rollbacks}',
    'Flushes: {flushes}, Commits: {commits}, Rollbacks: {rollbacks}',
  ],
  'N+1: {n} query of the same shape from one place, {time}|N+1: {n} queries of the same shape from one place, {time}':
    [
      'N+1 : {n} requête de même forme depuis un seul endroit, {time}|N+1 : {n} requêtes de même forme depuis un seul endroit, {time}',
      'N+1: {n} Abfrage derselben Form von einer Stelle, {time}|N+1: {n} Abfragen derselben Form von einer Stelle, {time}',
    ],
  'The same query with the same values, {n} time, {time}|The same query with the same values, {n} times, {time}':
    [
      'La même requête avec les mêmes valeurs, {n} fois, {time}|La même requête avec les mêmes valeurs, {n} fois, {time}',
      'Dieselbe Abfrage mit denselben Werten, {n}-mal, {time}|Dieselbe Abfrage mit denselben Werten, {n}-mal, {time}',
    ],
  'Statements in the order of their first query': [
    'Instructions dans l’ordre de leur première requête',
    'Anweisungen in der Reihenfolge ihrer ersten Abfrage',
  ],
  Statement: ['Instruction', 'Anweisung'],
  Rows: ['Lignes', 'Zeilen'],
  Times: ['Fois', 'Mal'],
  After: ['Après', 'Nach'],
  'No queries.': ['Aucune requête SQL.', 'Keine Abfragen.'],
  '{n} further query was counted, but not kept.|{n} further queries were counted, but not kept.': [
    '{n} autre requête a été comptée, mais pas gardée.|{n} autres requêtes ont été comptées, mais pas gardées.',
    '{n} weitere Abfrage wurde gezählt, aber nicht aufbewahrt.|{n} weitere Abfragen wurden gezählt, aber nicht aufbewahrt.',
  ],
  Error: ['Erreur', 'Fehler'],
  'Value {n}': ['Valeur {n}', 'Wert {n}'],
  Connection: ['Connexion', 'Verbindung'],
  'Called from': ['Appelé depuis', 'Aufgerufen von'],
  'Called by': ['Appelé par', 'Aufgerufen von'],
  'SQL; {n} value could not be put in|SQL; {n} values could not be put in': [
    'SQL ; {n} valeur n’a pu être insérée|SQL ; {n} valeurs n’ont pu être insérées',
    'SQL; {n} Wert konnte nicht eingesetzt werden|SQL; {n} Werte konnten nicht eingesetzt werden',
  ],
  Query: ['Requête SQL', 'Abfrage'],
  'Queries of this statement': ['Requêtes de cette instruction', 'Abfragen dieser Anweisung'],
  'Query parameters': ['Paramètres d’URL', 'Query-Parameter'],
  Values: ['Valeurs', 'Werte'],
  '{n} further query is in the JSON form.|{n} further queries are in the JSON form.': [
    '{n} autre requête se trouve dans le JSON.|{n} autres requêtes se trouvent dans le JSON.',
    '{n} weitere Abfrage steht im JSON.|{n} weitere Abfragen stehen im JSON.',
  ],
  'Changes written': ['Modifications écrites', 'Geschriebene Änderungen'],
  Action: ['Action', 'Aktion'],
  Entity: ['Entité', 'Entität'],
  Id: ['Id', 'Id'],
  '{from} to {to} of {total}': ['{from} à {to} sur {total}', '{from} bis {to} von {total}'],
  'Page {page}': ['Page {page}', 'Seite {page}'],
  Dumps: ['Dumps', 'Dumps'],
  '{n} dump|{n} dumps': ['{n} dump|{n} dumps', '{n} Dump|{n} Dumps'],
  'No dumps. dump(value) of lookback puts a value here.': [
    'Aucun dump. dump(valeur) de lookback place une valeur ici.',
    'Keine Dumps. dump(wert) aus lookback legt einen Wert hier ab.',
  ],
  Value: ['Valeur', 'Wert'],
  '{n} further dump was left out.|{n} further dumps were left out.': [
    '{n} autre dump a été omis.|{n} autres dumps ont été omis.',
    '{n} weiterer Dump wurde ausgelassen.|{n} weitere Dumps wurden ausgelassen.',
  ],
  Templates: ['Gabarits', 'Vorlagen'],
  '{n} template|{n} templates': ['{n} gabarit|{n} gabarits', '{n} Vorlage|{n} Vorlagen'],
  'Nothing was rendered. Components rendered by lookback are seen by themselves.': [
    'Aucun rendu. Les composants rendus par lookback sont vus d’eux-mêmes.',
    'Nichts wurde gerendert. Komponenten, die lookback rendert, werden von selbst gesehen.',
  ],
  'Templates, in their order': ['Gabarits, dans leur ordre', 'Vorlagen in ihrer Reihenfolge'],
  Component: ['Composant', 'Komponente'],
  Size: ['Taille', 'Größe'],
  Logs: ['Journal', 'Protokoll'],
  '{n} logged error|{n} logged errors': [
    '{n} erreur journalisée|{n} erreurs journalisées',
    '{n} protokollierter Fehler|{n} protokollierte Fehler',
  ],
  '{n} logged warning|{n} logged warnings': [
    '{n} avertissement journalisé|{n} avertissements journalisés',
    '{n} protokollierte Warnung|{n} protokollierte Warnungen',
  ],
  '{n} log entry|{n} log entries': [
    '{n} entrée de journal|{n} entrées de journal',
    '{n} Protokolleintrag|{n} Protokolleinträge',
  ],
  'No log entries.': ['Aucune entrée de journal.', 'Keine Protokolleinträge.'],
  'Log entries, in order': ['Entrées du journal, dans l’ordre', 'Protokolleinträge in ihrer Reihenfolge'],
  Level: ['Niveau', 'Stufe'],
  Channel: ['Canal', 'Kanal'],
  Message: ['Message', 'Meldung'],
  'No entry has this level and channel.': [
    'Aucune entrée n’a ce niveau et ce canal.',
    'Kein Eintrag hat diese Stufe und diesen Kanal.',
  ],
  Context: ['Contexte', 'Kontext'],
  'Filter by level': ['Filtrer par niveau', 'Nach Stufe filtern'],
  'any level': ['tous les niveaux', 'alle Stufen'],
  'Filter by channel': ['Filtrer par canal', 'Nach Kanal filtern'],
  'any channel': ['tous les canaux', 'alle Kanäle'],
  '{omitted} of {total} entries were left out: the first {first} and the last {last} are kept. Levels count all of them.':
    [
      '{omitted} entrées sur {total} ont été omises : les {first} premières et les {last} dernières sont gardées. Les niveaux les comptent toutes.',
      '{omitted} von {total} Einträgen wurden ausgelassen: die ersten {first} und die letzten {last} sind aufbewahrt. Die Stufen zählen alle.',
    ],
  removed: ['retiré', 'entfernt'],
  'the controller': ['le contrôleur', 'der Controller'],
  'Who set the headers, in order': [
    'Qui a défini les en-têtes, dans l’ordre',
    'Wer die Header setzte, der Reihe nach',
  ],
  Header: ['En-tête', 'Header'],
  'Set by': ['Défini par', 'Gesetzt von'],
} as const;
