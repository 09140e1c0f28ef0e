import express from 'express';
const app = express();
const show = (w, e) =>
  console.log(
    '##',
    w +
      '\n' +
      e.stack
        .split('\n')
        .map((l) => l.replace(/file:\/\/\/tmp\/errclone\/|\/tmp\/errclone\//, ''))
        .join('\n'),
  );
app.get('/twice', function twice(req, res) {
  res.json({ a: 1 });
  try {
    res.json({ b: 2 });
  } catch (e) {
    show('twice', e);
  }
});
app.get('/redirect', function redir(req, res) {
  res.end('x');
  try {
    res.redirect('/y');
  } catch (e) {
    show('redirect', e);
  }
  try {
    res.cookie('a', 'b');
  } catch (e) {
    show('cookie', e);
  }
});
app.use((req, res, next) => {
  next();
});
app.get('/throw', function thrower(req, res) {
  throw new Error('thrown');
});
app.use((err, req, res, next) => {
  show('handler', err);
  res.status(500).send('x');
});
const s = app.listen(0, '127.0.0.1', async () => {
  const b = 'http://127.0.0.1:' + s.address().port;
  for (const p of ['/twice', '/redirect', '/throw']) await (await fetch(b + p)).text();
  s.close();
  process.exit(0);
});
