/** Texts of actions, of findings, and of the panels of what was asked from others. */
export const actionPhrases = {
  'These records can only be read': [
    'Ces enregistrements sont en lecture seule',
    'Diese Aufzeichnungen lassen sich nur lesen',
  ],
  'Nothing was deleted.': ['Rien n’a été supprimé.', 'Es wurde nichts gelöscht.'],
  'these pages cannot reach the application: open them on its own port': [
    'ces pages ne peuvent joindre l’application : ouvrez-les sur son propre port',
    'diese Seiten erreichen die Anwendung nicht: Öffnen Sie sie auf deren eigenem Port',
  ],
  'it is one of the profiler’s own': ['elle est du profileur lui-même', 'sie ist eine des Profilers selbst'],
  'the record does not hold {names}': [
    'l’enregistrement ne contient pas {names}',
    'die Aufzeichnung enthält {names} nicht',
  ],
  'a {method} with a body cannot be sent': [
    'un {method} avec un corps ne peut être envoyé',
    'ein {method} mit Body kann nicht gesendet werden',
  ],
  'Imported from {from}, where it was {token}': [
    'Importée de {from}, où elle était {token}',
    'Importiert aus {from}, dort war sie {token}',
  ],
  'It was answered with {status}, but no record is known': [
    'La réponse est {status}, mais aucun enregistrement n’est connu',
    'Die Antwort ist {status}, aber keine Aufzeichnung ist bekannt',
  ],
  'The answer names no record: the request was not recorded, or it looks as if it came from somewhere else.':
    [
      'La réponse ne nomme aucun enregistrement : la requête n’a pas été enregistrée, ou elle semble venir d’ailleurs.',
      'Die Antwort nennt keine Aufzeichnung: Die Anfrage wurde nicht aufgezeichnet oder scheint von woanders zu kommen.',
    ],
  'The record that was sent again': ['La requête rejouée', 'Die erneut gesendete Anfrage'],
  'unknown failure': ['échec inconnu', 'unbekannter Fehler'],
  'This request cannot be sent again': [
    'Cette requête ne peut être rejouée',
    'Diese Anfrage lässt sich nicht erneut senden',
  ],
  'Nothing more was done: {reason}.': [
    'Rien de plus n’a été fait : {reason}.',
    'Es geschah nichts weiter: {reason}.',
  ],
  'Its record': ['Son enregistrement', 'Ihre Aufzeichnung'],
  'it is no form that can be read': ['le formulaire est illisible', 'das Formular ist nicht lesbar'],
  'Nothing was done: {reason}. Go back to the page, load it again, and send its form once more.': [
    'Rien n’a été fait : {reason}. Revenez à la page, rechargez-la et renvoyez son formulaire.',
    'Es geschah nichts: {reason}. Gehen Sie zur Seite zurück, laden Sie sie neu und senden Sie das Formular noch einmal.',
  ],
  'The form was refused': ['Le formulaire a été refusé', 'Das Formular wurde abgelehnt'],
  'the browser did not say which page sent it': [
    'le navigateur n’a pas dit quelle page l’envoie',
    'der Browser sagte nicht, welche Seite es sendet',
  ],
  'a page of another origin sent it': [
    'une page d’une autre origine l’a envoyé',
    'eine Seite eines anderen Ursprungs sendete es',
  ],
  'the cookie of the form is missing': ['le cookie du formulaire manque', 'das Cookie des Formulars fehlt'],
  'the token of the form is missing': ['le jeton du formulaire manque', 'das Token des Formulars fehlt'],
  'the token of the form is not that of this browser': [
    'le jeton du formulaire n’est pas celui de ce navigateur',
    'das Token des Formulars ist nicht das dieses Browsers',
  ],
  'The panel “{name}” failed on this record. The record itself is whole: see its JSON form.': [
    'Le panneau « {name} » a échoué sur cette requête. Elle est entière : voyez son JSON.',
    'Das Panel „{name}“ schlug bei dieser Anfrage fehl. Die Aufzeichnung selbst ist ganz: siehe ihr JSON.',
  ],
  'the panel failed': ['le panneau a échoué', 'das Panel schlug fehl'],
  'There is no panel “{name}”': ['Il n’y a pas de panneau « {name} »', 'Es gibt kein Panel „{name}“'],
  'A record has these panels: {panels}.': [
    'Une requête a ces panneaux : {panels}.',
    'Eine Aufzeichnung hat diese Panels: {panels}.',
  ],
  Note: ['Remarque', 'Hinweis'],
  Good: ['Bien', 'Gut'],
  Warning: ['Avertissement', 'Warnung'],
  Problem: ['Problème', 'Problem'],
  'State of the profiler': ['État du profileur', 'Zustand des Profilers'],
  'No response': ['Pas de réponse', 'Keine Antwort'],
  Step: ['Étape', 'Schritt'],
  'Zoom in': ['Agrandir', 'Vergrößern'],
  'Zoom out': ['Réduire', 'Verkleinern'],
  Earlier: ['Plus tôt', 'Früher'],
  Later: ['Plus tard', 'Später'],
  'none lost': ['aucun perdu', 'keine verloren'],
  '{n} lost': ['{n} perdus', '{n} verloren'],
  'pruned by': ['élagués par', 'entfernt durch'],
  '{n} apart': ['écart de {n}', '{n} Unterschied'],
  made: ['faits', 'angelegt'],
  '{n} record, {size}, {days} days|{n} records, {size}, {days} days': [
    '{n} enregistrement, {size}, {days} jours|{n} enregistrements, {size}, {days} jours',
    '{n} Eintrag, {size}, {days} Tage|{n} Einträge, {size}, {days} Tage',
  ],
  '{n} finding|{n} findings': ['{n} constat|{n} constats', '{n} Befund|{n} Befunde'],
  '{n} further group of queries that repeat themselves|{n} further groups of queries that repeat themselves':
    [
      '{n} autre groupe de requêtes SQL répétées|{n} autres groupes de requêtes SQL répétées',
      '{n} weitere Gruppe von Abfragen, die sich wiederholen|{n} weitere Gruppen von Abfragen, die sich wiederholen',
    ],
  '{n} query failed|{n} queries failed': [
    '{n} requête SQL a échoué|{n} requêtes SQL ont échoué',
    '{n} Abfrage schlug fehl|{n} Abfragen schlugen fehl',
  ],
  'an unknown place': ['un emplacement inconnu', 'einer unbekannten Stelle'],
  '{n} query of the same shape from {place}, {time}|{n} queries of the same shape from {place}, {time}': [
    '{n} requête SQL de même forme depuis {place}, {time}|{n} requêtes SQL de même forme depuis {place}, {time}',
    '{n} Abfrage derselben Form von {place}, {time}|{n} Abfragen derselben Form von {place}, {time}',
  ],
  'The same query with the same values {n} times from {place}, {time}': [
    'La même requête SQL avec les mêmes valeurs {n} fois depuis {place}, {time}',
    'Dieselbe Abfrage mit denselben Werten {n}-mal von {place}, {time}',
  ],
  'The request body ({size}) was never read': [
    'Le corps de la requête ({size}) n’a jamais été lu',
    'Der Body der Anfrage ({size}) wurde nie gelesen',
  ],
  'The response has {size}': ['La réponse fait {size}', 'Die Antwort hat {size}'],
  'The response has {size} and was sent uncompressed': [
    'La réponse fait {size} et a été envoyée sans compression',
    'Die Antwort hat {size} und wurde unkomprimiert gesendet',
  ],
  'Nobody waited for the promise that was the result': [
    'Personne n’a attendu la promesse qui était le résultat',
    'Niemand wartete auf das Promise, das das Ergebnis war',
  ],
  'Nobody waited for the promise “{path}” in the result': [
    'Personne n’a attendu la promesse « {path} » du résultat',
    'Niemand wartete auf das Promise „{path}“ im Ergebnis',
  ],
  'No response was sent': ['Aucune réponse n’a été envoyée', 'Es wurde keine Antwort gesendet'],
  'The response was cut off after {size}': [
    'La réponse a été coupée après {size}',
    'Die Antwort brach nach {size} ab',
  ],
  'The listener “{name}” threw': [
    'L’écouteur « {name} » a levé une exception',
    'Der Listener „{name}“ warf einen Fehler',
  ],
  '{n} error was logged|{n} errors were logged': [
    '{n} erreur a été journalisée|{n} erreurs ont été journalisées',
    '{n} Fehler wurde protokolliert|{n} Fehler wurden protokolliert',
  ],
  '{n} warning was logged|{n} warnings were logged': [
    '{n} avertissement a été journalisé|{n} avertissements ont été journalisés',
    '{n} Warnung wurde protokolliert|{n} Warnungen wurden protokolliert',
  ],
  '{what} took {time} of {whole}': ['{what} : {time} sur {whole}', '{what}: {time} von {whole}'],
  '1 outgoing call ({url})': ['1 appel sortant ({url})', '1 ausgehender Aufruf ({url})'],
  Rendering: ['Le rendu', 'Das Rendern'],
  'The code of the controller': ['Le code du contrôleur', 'Der Code des Controllers'],
  'The listener “{name}”': ['L’écouteur « {name} »', 'Der Listener „{name}“'],
  'The database': ['La base de données', 'Die Datenbank'],
  'Outgoing calls': ['Les appels sortants', 'Ausgehende Aufrufe'],
  '{n} step|{n} steps': ['{n} étape|{n} étapes', '{n} Schritt|{n} Schritte'],
  '{n} listener|{n} listeners': ['{n} écouteur|{n} écouteurs', '{n} Listener|{n} Listener'],
  '{n} outgoing call|{n} outgoing calls': [
    '{n} appel sortant|{n} appels sortants',
    '{n} ausgehender Aufruf|{n} ausgehende Aufrufe',
  ],
  '{n} rendering|{n} renderings': ['{n} rendu|{n} rendus', '{n} Rendering|{n} Renderings'],
  '{n} span|{n} spans': ['{n} intervalle|{n} intervalles', '{n} Span|{n} Spans'],
  together: ['ensemble', 'zusammen'],
  'never ended while the request was watched': [
    'ne s’est pas terminé pendant l’observation',
    'endete nicht, solange die Anfrage beobachtet wurde',
  ],
  '{name} event': ['événement {name}', 'Event {name}'],
  'Nothing but the URL and usual headers.': [
    'Rien que l’URL et des en-têtes usuels.',
    'Nichts als die URL und übliche Felder.',
  ],
  'Request body': ['Corps de la requête', 'Body der Anfrage'],
  'Request headers': ['En-têtes de la requête', 'Felder der Anfrage'],
  'Response headers': ['En-têtes de la réponse', 'Felder der Antwort'],
  '{label}, its beginning': ['{label}, le début', '{label}, Anfang'],
  '{label}: {size}, not kept.': ['{label} : {size}, non gardé.', '{label}: {size}, nicht aufbewahrt.'],
  '{caption}, the first {shown} of {total}': [
    '{caption}, les {shown} premiers sur {total}',
    '{caption}, die ersten {shown} von {total}',
  ],
  '(no subject)': ['(sans objet)', '(kein Betreff)'],
  Answer: ['Réponse', 'Antwort'],
  'Asked by span': ['Demandé par le span', 'Gefragt von Span'],
  Attempt: ['Essai', 'Versuch'],
  Command: ['Commande', 'Kommando'],
  Commands: ['Commandes', 'Kommandos'],
  Job: ['Tâche', 'Job'],
  'Jobs given to queues': ['Tâches mises en file', 'An Queues gegebene Jobs'],
  'Named by the client, not continued': [
    'Nommée par le client, non continuée',
    'Vom Client genannt, nicht fortgesetzt',
  ],
  'No job was given to a queue.': [
    'Aucune tâche n’a été mise en file.',
    'Kein Job wurde an eine Queue gegeben.',
  ],
  'No other record of this trace is in this store.': [
    'Aucun autre enregistrement de cette trace n’est dans ce stockage.',
    'Keine andere Aufzeichnung dieses Trace ist in diesem Speicher.',
  ],
  'Not known.': ['Inconnu.', 'Unbekannt.'],
  'Outgoing requests': ['Requêtes sortantes', 'Ausgehende Anfragen'],
  'Preview of “{subject}”': ['Aperçu de « {subject} »', 'Vorschau von „{subject}“'],
  Queue: ['File', 'Queue'],
  Receiving: ['Réception', 'Empfangen'],
  'Record of the other side': ['Enregistrement de l’autre côté', 'Aufzeichnung der Gegenseite'],
  'Requests and jobs of this trace': ['Requêtes et tâches de cette trace', 'Anfragen und Jobs dieses Trace'],
  Result: ['Résultat', 'Ergebnis'],
  'Sending took': ['Envoi', 'Senden dauerte'],
  Span: ['Span', 'Span'],
  'The call': ['L’appel', 'Der Aufruf'],
  'The command': ['La commande', 'Das Kommando'],
  'The job': ['La tâche', 'Der Job'],
  'The records of the jobs are in the panel “Trace”, once they have run.': [
    'Les enregistrements des tâches sont dans le panneau « Trace », une fois exécutées.',
    'Die Aufzeichnungen der Jobs stehen im Panel „Trace“, sobald sie gelaufen sind.',
  ],
  'This record is of a job': [
    'Cet enregistrement est celui d’une tâche',
    'Diese Aufzeichnung ist von einem Job',
  ],
  Trace: ['Trace', 'Trace'],
  'Trace context': ['Contexte de la trace', 'Trace-Kontext'],
  'Until sent': ['Jusqu’à l’envoi', 'Bis gesendet'],
  Waiting: ['Attente', 'Warten'],
  'Where it was asked from is not known.': [
    'On ne sait pas d’où elle a été demandée.',
    'Von wo gefragt wurde, ist nicht bekannt.',
  ],
  Attachment: ['Pièce jointe', 'Anhang'],
  To: ['À', 'An'],
  Cc: ['Cc', 'Cc'],
  Bcc: ['Cci', 'Bcc'],
  calls: ['appels', 'Aufrufe'],
  commands: ['commandes', 'Kommandos'],
  hit: ['trouvé', 'Treffer'],
  hits: ['trouvés', 'Treffer'],
  miss: ['absent', 'Fehlschlag'],
  misses: ['absents', 'Fehlschläge'],
  'still open when the request ended': [
    'encore ouvert à la fin de la requête',
    'noch offen, als die Anfrage endete',
  ],
  'this one': ['celle-ci', 'diese'],
  'waiting for others': ['attente des autres', 'Warten auf andere'],
  '{n} HTTP call|{n} HTTP calls': ['{n} appel HTTP|{n} appels HTTP', '{n} HTTP-Aufruf|{n} HTTP-Aufrufe'],
  '{n} failed HTTP call|{n} failed HTTP calls': [
    '{n} appel HTTP en échec|{n} appels HTTP en échec',
    '{n} fehlgeschlagener HTTP-Aufruf|{n} fehlgeschlagene HTTP-Aufrufe',
  ],
  '{n} cache command|{n} cache commands': [
    '{n} commande de cache|{n} commandes de cache',
    '{n} Cache-Kommando|{n} Cache-Kommandos',
  ],
  '{n} failed cache command|{n} failed cache commands': [
    '{n} commande de cache en échec|{n} commandes de cache en échec',
    '{n} fehlgeschlagenes Cache-Kommando|{n} fehlgeschlagene Cache-Kommandos',
  ],
  '{n} further message was left out.|{n} further messages were left out.': [
    '{n} autre message a été omis.|{n} autres messages ont été omis.',
    '{n} weitere Nachricht wurde ausgelassen.|{n} weitere Nachrichten wurden ausgelassen.',
  ],
  '{n} job|{n} jobs': ['{n} tâche|{n} tâches', '{n} Job|{n} Jobs'],
  '{n} message not sent|{n} messages not sent': [
    '{n} message non envoyé|{n} messages non envoyés',
    '{n} Nachricht nicht gesendet|{n} Nachrichten nicht gesendet',
  ],
  'HTTP client': ['Client HTTP', 'HTTP-Client'],
  Cache: ['Cache', 'Cache'],
  Mail: ['Courriel', 'E-Mail'],
  Jobs: ['Tâches', 'Jobs'],
  'No outgoing request in this record. The global fetch, undici, node:http and node:https are seen by themselves; HTTP/2 clients are not. See docs/taps.md.':
    [
      'Aucune requête sortante. Le fetch global, undici, node:http et node:https sont vus d’eux-mêmes ; les clients HTTP/2 ne le sont pas. Voir docs/taps.md.',
      'Keine ausgehende Anfrage. Das globale fetch, undici, node:http und node:https werden von selbst gesehen; HTTP/2-Clients nicht. Siehe docs/taps.md.',
    ],
  'No cache command in this record. ioredis 6 and redis 6 are seen by themselves; older versions and other clients are not. See docs/taps.md.':
    [
      'Aucune commande de cache. ioredis 6 et redis 6 sont vus d’eux-mêmes ; les versions plus anciennes et les autres clients ne le sont pas. Voir docs/taps.md.',
      'Kein Cache-Kommando. ioredis 6 und redis 6 werden von selbst gesehen; ältere Versionen und andere Clients nicht. Siehe docs/taps.md.',
    ],
  'No job in this record. Queues and workers of BullMQ are seen by one line each: recordJobs(new Queue(…)), recordJobs(new Worker(…)). See docs/taps.md.':
    [
      'Aucune tâche. Les files et workers de BullMQ sont vus par une ligne chacun : recordJobs(new Queue(…)), recordJobs(new Worker(…)). Voir docs/taps.md.',
      'Kein Job. Queues und Worker von BullMQ werden mit je einer Zeile gesehen: recordJobs(new Queue(…)), recordJobs(new Worker(…)). Siehe docs/taps.md.',
    ],
  'No mail in this record. nodemailer is seen where require() loaded it, else by one line: recordMail(createTransport(…)). See docs/taps.md.':
    [
      'Aucun courriel. nodemailer est vu là où require() l’a chargé, sinon par une ligne : recordMail(createTransport(…)). Voir docs/taps.md.',
      'Keine E-Mail. nodemailer wird gesehen, wo require() es lud, sonst mit einer Zeile: recordMail(createTransport(…)). Siehe docs/taps.md.',
    ],
  'No trace in this record. One is continued where a request comes with traceparent, and begun with the first outgoing request or job. See docs/taps.md.':
    [
      'Aucune trace. Une trace est continuée quand une requête vient avec traceparent, et commencée avec la première requête sortante ou tâche. Voir docs/taps.md.',
      'Kein Trace. Einer wird fortgesetzt, wo eine Anfrage mit traceparent kommt, und mit der ersten ausgehenden Anfrage oder dem ersten Job begonnen. Siehe docs/taps.md.',
    ],
} as const;
