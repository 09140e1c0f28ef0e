import { BadRequestError, ForbiddenError, Get, HttpResponse, NotFoundError, Post } from 'lookback';
import { isRole } from '../database/user.js';
import { text } from '../languages.js';
import { leaveNotice } from '../notices.js';
import { AdminPage } from '../pages/admin-page.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';

/** Lists users and their roles. The access rule for everything below /admin protects it. */
export class AdminController {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  @Get('/admin', { name: 'admin' })
  async list(context: Context): Promise<HttpResponse> {
    const { database, site } = this.#services;
    const users = await database.journal(context.request).users();
    return site.page(context, (reader) => ({
      title: text('admin'),
      content: AdminPage({ users, reader, url: context.url }),
    }));
  }

  @Post('/admin/users/{identifier}/role', { name: 'admin_role' })
  async giveRole(context: Context): Promise<HttpResponse> {
    const { request, params, url, log } = context;
    const { database, security } = this.#services;
    const role = (await request.form()).get('role') ?? '';
    if (!isRole(role)) throw new BadRequestError('There is no such role.');
    const journal = database.journal(request);
    const user = await journal.findUser(params['identifier'] ?? '');
    if (user === null) throw new NotFoundError('There is no such user.');
    const admin = await security.user(request);
    if (user.identifier === admin?.identifier) throw new ForbiddenError('You cannot change your own role.');
    await journal.giveRole(user, role);
    await leaveNotice(security, request, 'roleChanged');
    log.notice('A role was changed.', { user: user.identifier, role, by: admin?.identifier });
    return HttpResponse.redirect(url('admin'), { status: 303 });
  }
}
