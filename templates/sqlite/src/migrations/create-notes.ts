import { Migration } from '@mikro-orm/migrations';

export class CreateNotes extends Migration {
  override up(): void {
    this.addSql(
      'create table `note` (`id` integer primary key autoincrement, `title` text not null, `text` text not null, `created_at` date not null)',
    );
  }

  override down(): void {
    this.addSql('drop table `note`');
  }
}
