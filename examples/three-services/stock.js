import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const [, id = ''] = /^\/stock\/(\w+)$/.exec(request.url) ?? [];
  console.log(`counting the stock of ${id}`);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ id, left: 3 }));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('up'));
process.once('disconnect', () => process.exit()); // ends with the program that started it
