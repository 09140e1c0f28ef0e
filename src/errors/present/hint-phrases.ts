/** What may help against errors of Node and of the language, as `findHints` says it. */
export const hintPhrases = {
  'Nothing listens at that address. Is the service started, and are host and port right?': [
    'Rien n’écoute à cette adresse. Le service est-il démarré, l’hôte et le port sont-ils les bons ?',
    'An dieser Adresse lauscht nichts. Läuft der Dienst, und stimmen Host und Port?',
  ],
  'The host name could not be resolved. Check its spelling and the network.': [
    'Le nom d’hôte n’a pas pu être résolu. Vérifiez son orthographe et le réseau.',
    'Der Hostname ließ sich nicht auflösen. Prüfen Sie Schreibweise und Netzwerk.',
  ],
  'The other side did not answer in time. Is it reachable, and is the time-out long enough?': [
    'L’autre côté n’a pas répondu à temps. Est-il joignable, et le délai est-il assez long ?',
    'Die Gegenseite hat nicht rechtzeitig geantwortet. Ist sie erreichbar, und reicht das Zeitlimit?',
  ],
  'The other side closed the connection before it answered.': [
    'L’autre côté a fermé la connexion avant de répondre.',
    'Die Gegenseite hat die Verbindung vor der Antwort geschlossen.',
  ],
  'Another process uses this port. Stop it, or choose another one with PORT.': [
    'Un autre processus utilise ce port. Arrêtez-le, ou choisissez-en un autre avec PORT.',
    'Ein anderer Prozess belegt diesen Port. Beenden Sie ihn, oder wählen Sie mit PORT einen anderen.',
  ],
  'There is no such file or folder. A relative path starts at the folder the process was started in.': [
    'Ce fichier ou dossier n’existe pas. Un chemin relatif part du dossier où le processus a été démarré.',
    'Diese Datei oder diesen Ordner gibt es nicht. Ein relativer Pfad beginnt im Startordner des Prozesses.',
  ],
  'This process has no permission for it.': [
    'Ce processus n’en a pas la permission.',
    'Dieser Prozess hat dafür keine Berechtigung.',
  ],
  'Too many files are open. Make sure that streams and handles are closed, also when an error occurs.': [
    'Trop de fichiers sont ouverts. Veillez à fermer flux et descripteurs, aussi en cas d’erreur.',
    'Zu viele Dateien sind offen. Schließen Sie Streams und Handles, auch im Fehlerfall.',
  ],
  'Is the package installed? Relative imports need their file ending (./name.js).': [
    'Le paquet est-il installé ? Les imports relatifs exigent leur extension (./nom.js).',
    'Ist das Paket installiert? Relative Importe brauchen ihre Dateiendung (./name.js).',
  ],
  'The response had already begun. Is it sent twice, or is a return missing after it was sent?': [
    'La réponse avait déjà commencé. Est-elle envoyée deux fois, ou manque-t-il un return après l’envoi ?',
    'Die Antwort hatte schon begonnen. Wird sie zweimal gesendet, oder fehlt danach ein return?',
  ],
  'The stream ended before its content did: the client or the source went away.': [
    'Le flux s’est terminé avant son contenu : le client ou la source a disparu.',
    'Der Stream endete vor seinem Inhalt: Client oder Quelle brachen ab.',
  ],
  'The value left of the marked dot is missing. Log it, or use “?.” where it may be absent.': [
    'La valeur à gauche du point marqué manque. Journalisez-la, ou utilisez « ?. » là où elle peut manquer.',
    'Der Wert links vom markierten Punkt fehlt. Loggen Sie ihn, oder nehmen Sie „?.“, wo er fehlen darf.',
  ],
  'This value is not a function. Check the spelling, and whether it is a default or a named export.': [
    'Cette valeur n’est pas une fonction. Vérifiez l’orthographe, et s’il s’agit d’un export nommé ou par défaut.',
    'Dieser Wert ist keine Funktion. Prüfen Sie die Schreibweise, und ob er ein Default- oder benannter Export ist.',
  ],
  'Only arrays, maps, sets and other iterables can be spread or looped over. Is an await missing?': [
    'Seuls tableaux, maps, sets et autres itérables peuvent être parcourus ou étalés. Manque-t-il un await ?',
    'Nur Arrays, Maps, Sets und andere Iterables lassen sich durchlaufen oder aufspreizen. Fehlt ein await?',
  ],
  'A function calls itself endlessly: the same lines repeat in the stack below.': [
    'Une fonction s’appelle sans fin : les mêmes lignes se répètent dans la pile ci-dessous.',
    'Eine Funktion ruft sich endlos selbst auf: Im Stack unten wiederholen sich dieselben Zeilen.',
  ],
  'The value refers to itself. Return only the fields the client needs.': [
    'La valeur se contient elle-même. Ne renvoyez que les champs utiles au client.',
    'Der Wert verweist auf sich selbst. Geben Sie nur die Felder zurück, die der Client braucht.',
  ],
  'The text is not JSON. Look at its beginning: is it an HTML error page, or empty?': [
    'Le texte n’est pas du JSON. Regardez son début : est-ce une page d’erreur HTML, ou est-il vide ?',
    'Der Text ist kein JSON. Sehen Sie den Anfang an: Ist es eine HTML-Fehlerseite, oder ist er leer?',
  ],
  'The variable is used before its declaration, or two modules import each other.': [
    'La variable est utilisée avant sa déclaration, ou deux modules s’importent l’un l’autre.',
    'Die Variable wird vor ihrer Deklaration benutzt, oder zwei Module importieren einander.',
  ],
  'The inner message quotes the path with a slash at its end because routes with and without one were tried.':
    [
      'Le message intérieur cite le chemin avec une barre finale, car les routes avec et sans ont été essayées.',
      'Die innere Meldung nennt den Pfad mit Schrägstrich am Ende, weil Routen mit und ohne geprüft wurden.',
    ],
  'The thrown value is not an Error. Throw an Error or a subclass of it: only these have a stack.': [
    'La valeur lancée n’est pas une Error. Lancez une Error ou une sous-classe : elles seules ont une pile.',
    'Der geworfene Wert ist kein Error. Werfen Sie einen Error oder eine Unterklasse: Nur diese haben einen Stack.',
  ],
} as const;
