// The measured routes: an API like that of a code host, about a hundred routes per product. 100 routes are one product, 10,000 a hundred.
// Variables are written {so}.
const product = `
GET /
GET /status
GET /search/code
GET /search/commits
GET /search/issues
GET /search/repositories
GET /search/topics
GET /search/users
GET /user
PATCH /user
GET /user/emails
POST /user/emails
GET /user/keys
POST /user/keys
GET /user/keys/{id}
DELETE /user/keys/{id}
GET /user/repos
POST /user/repos
GET /user/starred
GET /user/starred/{owner}/{repo}
PUT /user/starred/{owner}/{repo}
DELETE /user/starred/{owner}/{repo}
GET /user/subscriptions
GET /user/teams
GET /users
GET /users/{username}
GET /users/{username}/events
GET /users/{username}/events/public
GET /users/{username}/followers
GET /users/{username}/following
GET /users/{username}/following/{target}
GET /users/{username}/gists
GET /users/{username}/keys
GET /users/{username}/orgs
GET /users/{username}/repos
GET /orgs/{org}
PATCH /orgs/{org}
GET /orgs/{org}/events
GET /orgs/{org}/issues
GET /orgs/{org}/members
GET /orgs/{org}/members/{username}
DELETE /orgs/{org}/members/{username}
GET /orgs/{org}/repos
POST /orgs/{org}/repos
GET /orgs/{org}/teams
POST /orgs/{org}/teams
GET /teams/{id}
PATCH /teams/{id}
DELETE /teams/{id}
GET /teams/{id}/members
PUT /teams/{id}/members/{username}
GET /teams/{id}/repos
GET /teams/{id}/repos/{owner}/{repo}
GET /repos/{owner}/{repo}
PATCH /repos/{owner}/{repo}
DELETE /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/assignees
GET /repos/{owner}/{repo}/branches
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/collaborators
PUT /repos/{owner}/{repo}/collaborators/{user}
GET /repos/{owner}/{repo}/comments
GET /repos/{owner}/{repo}/comments/{id}
GET /repos/{owner}/{repo}/commits
GET /repos/{owner}/{repo}/commits/{sha}
GET /repos/{owner}/{repo}/commits/{sha}/comments
POST /repos/{owner}/{repo}/commits/{sha}/comments
GET /repos/{owner}/{repo}/contributors
GET /repos/{owner}/{repo}/downloads
GET /repos/{owner}/{repo}/downloads/{id}
GET /repos/{owner}/{repo}/events
GET /repos/{owner}/{repo}/forks
POST /repos/{owner}/{repo}/forks
GET /repos/{owner}/{repo}/git/blobs/{sha}
POST /repos/{owner}/{repo}/git/blobs
GET /repos/{owner}/{repo}/git/refs
GET /repos/{owner}/{repo}/git/tags/{sha}
GET /repos/{owner}/{repo}/git/trees/{sha}
GET /repos/{owner}/{repo}/hooks
GET /repos/{owner}/{repo}/hooks/{id}
POST /repos/{owner}/{repo}/hooks/{id}/tests
GET /repos/{owner}/{repo}/issues
POST /repos/{owner}/{repo}/issues
GET /repos/{owner}/{repo}/issues/{number}
PATCH /repos/{owner}/{repo}/issues/{number}
GET /repos/{owner}/{repo}/issues/{number}/comments
POST /repos/{owner}/{repo}/issues/{number}/comments
GET /repos/{owner}/{repo}/issues/{number}/labels
GET /repos/{owner}/{repo}/pulls
POST /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/{number}
GET /repos/{owner}/{repo}/pulls/{number}/commits
GET /repos/{owner}/{repo}/pulls/{number}/files
PUT /repos/{owner}/{repo}/pulls/{number}/merge
GET /repos/{owner}/{repo}/releases
GET /repos/{owner}/{repo}/releases/{id}
GET /repos/{owner}/{repo}/stats/{kind}
GET /repos/{owner}/{repo}/tags
DELETE /repos/{owner}/{repo}/tags/{tag}
GET /zen
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

/** `count` routes as { method, path }, a hundred for each product. */
export function createRouteSet(count) {
  return Array.from({ length: count }, (_, index) => {
    const [method, path] = product[index % product.length];
    const prefix = `/${productName(Math.floor(index / product.length))}`;
    return { method, path: prefix + (path === '/' ? '' : path) };
  });
}

const first = ['cloud', 'code', 'data', 'mail', 'media', 'pay', 'ship', 'shop', 'talk', 'work'];
const second = ['', '-admin', '-beta', '-core', '-eu', '-hub', '-lab', '-next', '-pro', '-us'];

function productName(index) {
  return first[index % 10] + second[Math.floor(index / 10) % 10];
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A path that matches a route, with a value of 4 to 12 characters for each variable. */
export function fillPath(path, random) {
  return path.replace(/\{\w+\}/g, () =>
    Array.from({ length: 4 + Math.floor(random() * 9) }, () => letters[Math.floor(random() * 36)]).join(''),
  );
}

/** Repeatable random numbers (mulberry32). */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
