// The process that agents export to: answers each request, and reports how many bodies it received.
import { createServer } from 'node:http';

let bodies = 0;
const server = createServer((request, response) => {
  let bytes = 0;
  request.on('data', (chunk) => (bytes += chunk.length));
  request.on('end', () => {
    if (bytes > 0) bodies++;
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send(bodies));
process.on('disconnect', () => process.exit(0));
