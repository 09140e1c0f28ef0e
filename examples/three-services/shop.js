import express from 'express';

const { STOCK_URL, PRICES_URL, PORT } = process.env;
const app = express();

app.get('/order/:id', async function showOrder(request, response) {
  const { id } = request.params;
  const [stock, price] = await Promise.all(
    [`${STOCK_URL}/stock/${id}`, `${PRICES_URL}/price/${id}`].map(async (url) => (await fetch(url)).json()),
  );
  console.log(`order ${id}: ${stock.left} left`);
  response.json({ ...stock, ...price });
});

app.listen(Number(PORT), '127.0.0.1', () => process.send?.('up'));
process.once('disconnect', () => process.exit()); // ends with the program that started it
