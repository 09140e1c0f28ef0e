// node examples/nest/app.js, then open http://localhost:3000/books/1, /broken and /_profiler/
import 'reflect-metadata';
import { Body, Controller, Get, Module, NotFoundException, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LookbackModule } from 'lookback/nest';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);

class BookController {
  showBook(id) {
    const book = books.get(id);
    if (book === undefined) throw new NotFoundException();
    return book;
  }

  addBook({ title }) {
    const book = { id: String(books.size + 1), title: String(title) };
    books.set(book.id, book);
    return book;
  }

  breakDown() {
    throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
  }
}

// The JavaScript equivalent of TypeScript decorators.
const decorate = (method, decorator) =>
  decorator(
    BookController.prototype,
    method,
    Object.getOwnPropertyDescriptor(BookController.prototype, method),
  );
Controller()(BookController);
decorate('showBook', Get('books/:id'));
decorate('addBook', Post('books'));
decorate('breakDown', Get('broken'));
Param('id')(BookController.prototype, 'showBook', 0);
Body()(BookController.prototype, 'addBook', 0);

class AppModule {}
Module({
  imports: [LookbackModule.forRoot({ errorPage: true })], // must be first
  controllers: [BookController],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log('listening');
