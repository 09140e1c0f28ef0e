import type { englishFailures } from './english-failures.js';

export const frenchFailures: Record<keyof typeof englishFailures, string> = {
  failure_chain: 'Une erreur et ses causes',
  failure_chain_look:
    'Trois erreurs, l’une derrière l’autre, à travers un appel asynchrone et une bibliothèque.',
  failure_aggregate: 'Plusieurs erreurs à la fois',
  failure_aggregate_look: 'Une AggregateError : un arbre au lieu d’une chaîne.',
  'failure_non-error': 'Un objet lancé qui n’est pas une erreur',
  'failure_non-error_look': 'Il a un accesseur qu’il ne faut pas exécuter.',
  failure_listener: 'Un écouteur en panne',
  failure_listener_look: 'Le contrôleur répond ; un écouteur de la réponse lance une erreur.',
  failure_nothing: 'Un contrôleur qui ne rend rien',
  failure_nothing_look: 'L’erreur dit lequel, et ce qu’il peut rendre.',
  'failure_unhandled-rejection': 'Une promesse que personne n’attendait',
  'failure_unhandled-rejection_look':
    'La réponse est bonne. Ce qui échoue ensuite est dans le journal, et le service continue.',
  'failure_broken-stream': 'Un flux qui se rompt',
  'failure_broken-stream_look': 'La réponse a commencé quand l’erreur arrive.',
  'failure_not-found': '404 par un contrôleur',
  'failure_not-found_look': 'La route existe, ce qu’elle nomme n’existe pas.',
  'failure_wrong-method': '405',
  'failure_wrong-method_look': 'Une route qui ne prend que POST, demandée par GET.',
  failure_forbidden: '403',
  failure_forbidden_look: 'Refusée, qui que ce soit.',
  failure_unauthorized: '401',
  failure_unauthorized_look: 'Dit par WWW-Authenticate ce qu’elle veut, sans proposer de se connecter.',
  failure_login: 'Une connexion',
  failure_login_look:
    'L’inconnu est envoyé se connecter, le lecteur est refusé : seuls les admins la voient.',
  'failure_n-plus-one': 'Une requête SQL par ligne',
  'failure_n-plus-one_look': 'Ouvrez la trace : la même instruction, encore et encore, et d’où elle vient.',
  'failure_slow-query': 'Une requête SQL lente',
  'failure_slow-query_look': 'Ouvrez la trace : presque tout le temps va à la base de données.',
  failure_router: '404 par le routeur',
  failure_router_look: 'À une lettre d’une page qui existe, et la page le dit.',
};
