/** Texts of what panels measure: CPU profiles, budgets, plans of queries, the profiler itself. */
export const factPhrases = {
  'CPU profile': ['Profil CPU', 'CPU-Profil'],
  'Replay with a CPU profile': ['Rejouer avec un profil CPU', 'Mit CPU-Profil wiederholen'],
  'No CPU profile was asked for. Add _profile=cpu to the query of the request, or choose “Replay with a CPU profile” among the actions.':
    [
      'Aucun profil CPU n’a été demandé. Ajoutez _profile=cpu à l’URL de la requête, ou choisissez « Rejouer avec un profil CPU » parmi les actions.',
      'Es wurde kein CPU-Profil verlangt. Ergänzen Sie _profile=cpu in der URL der Anfrage, oder wählen Sie „Mit CPU-Profil wiederholen“ unter den Aktionen.',
    ],
  profiled: ['profilé', 'Dauer des Profils'],
  'on the CPU': ['sur le CPU', 'auf der CPU'],
  waiting: ['en attente', 'wartend'],
  'garbage collection': ['ramasse-miettes', 'Garbage Collection'],
  'V8 profiles the process: the work of {n} other request that began meanwhile is in it.|V8 profiles the process: the work of {n} other requests that began meanwhile is in it.':
    [
      'V8 profile le processus : le travail de {n} autre requête commencée entre-temps en fait partie.|V8 profile le processus : le travail de {n} autres requêtes commencées entre-temps en fait partie.',
      'V8 misst den Prozess: Die Arbeit von {n} weiteren Anfrage, die inzwischen begann, ist enthalten.|V8 misst den Prozess: Die Arbeit von {n} weiteren Anfragen, die inzwischen begannen, ist enthalten.',
    ],
  'V8 profiles the process; no other request began meanwhile.': [
    'V8 profile le processus ; aucune autre requête n’a commencé entre-temps.',
    'V8 misst den Prozess; inzwischen begann keine weitere Anfrage.',
  ],
  'It was cut: after 30 seconds, or to its largest part.': [
    'Il a été coupé : après 30 secondes, ou à sa plus grande partie.',
    'Es wurde gekürzt: nach 30 Sekunden, oder auf seinen größten Teil.',
  ],
  '{time} were not sampled: the machine was too busy to run the sampler.': [
    '{time} n’ont pas été échantillonnées : la machine était trop occupée.',
    '{time} wurden nicht erfasst: Die Maschine war zu beschäftigt.',
  ],
  '{n} refused value|{n} refused values': [
    '{n} valeur refusée|{n} valeurs refusées',
    '{n} abgelehnter Wert|{n} abgelehnte Werte',
  ],
  'No input was refused.': ['Aucune entrée n’a été refusée.', 'Keine Eingabe wurde abgelehnt.'],
  'Processes that share the store': [
    'Processus qui partagent le stockage',
    'Prozesse, die sich den Speicher teilen',
  ],
  'Last seen': ['Vu pour la dernière fois', 'Zuletzt gesehen'],
  'Set LOOKBACK_IDE (vscode, phpstorm, zed …) to open places of code in your editor.': [
    'Définissez LOOKBACK_IDE (vscode, phpstorm, zed …) pour ouvrir le code dans votre éditeur.',
    'Setzen Sie LOOKBACK_IDE (vscode, phpstorm, zed …), um Stellen im Code im Editor zu öffnen.',
  ],
  'Over budget: {value}, where the route may need {limit}': [
    'Budget dépassé : {value}, alors que la route peut en utiliser {limit}',
    'Über dem Budget: {value}, wo die Route {limit} brauchen darf',
  ],
  '{what} was added and never flushed': [
    '{what} a été ajouté et jamais enregistré (flush)',
    '{what} wurde hinzugefügt und nie geschrieben (flush)',
  ],
  '{what} was removed and never flushed': [
    '{what} a été retiré et jamais enregistré (flush)',
    '{what} wurde entfernt und nie geschrieben (flush)',
  ],
  '{what} was changed ({fields}) and never flushed': [
    '{what} a été modifié ({fields}) et jamais enregistré (flush)',
    '{what} wurde geändert ({fields}) und nie geschrieben (flush)',
  ],
  'Shown part': ['Partie montrée', 'Gezeigter Teil'],
  all: ['tout', 'alles'],
  'slow query': ['requête SQL lente', 'langsame Abfrage'],
  ready: ['prêt', 'bereit'],
  failing: ['en panne', 'gestört'],
  closed: ['fermé', 'geschlossen'],
  skipped: ['ignoré', 'übersprungen'],
  success: ['réussite', 'Erfolg'],
  failure: ['échec', 'Fehlschlag'],
  read: ['lecture', 'gelesen'],
  write: ['écriture', 'geschrieben'],
  'Download .cpuprofile': ['Télécharger .cpuprofile', '.cpuprofile herunterladen'],
  'Flame graph': ['Flame graph', 'Flame Graph'],
  'Functions by the time in themselves': [
    'Fonctions selon leur temps propre',
    'Funktionen nach eigener Zeit',
  ],
  Self: ['Propre', 'Eigene Zeit'],
  Total: ['Total', 'Gesamt'],
  Share: ['Part', 'Anteil'],
  Place: ['Emplacement', 'Stelle'],
  'No sample was taken: it was over too soon.': [
    'Aucun échantillon : elle s’est terminée trop vite.',
    'Keine Stichprobe: Sie war zu schnell vorbei.',
  ],
  'The application': ['L’application', 'Die Anwendung'],
  'Libraries and Node.js': ['Bibliothèques et Node.js', 'Bibliotheken und Node.js'],
} as const;
