import Fastify from 'fastify';

const app = Fastify();
app.get('/price/:id', async function showPrice({ params }) {
  return { id: params.id, price: 12.5 };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.send?.('up');
process.once('disconnect', () => process.exit()); // ends with the program that started it
