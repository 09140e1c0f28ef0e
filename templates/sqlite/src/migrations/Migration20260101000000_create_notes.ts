import { Migration } from '@mikro-orm/migrations';

export class Migration20260101000000_create_notes extends Migration {
  override up(): void {
    this.addSql(
      'create table `note` (`id` integer not null primary key autoincrement, `title` text not null, `text` text not null, `created_at` datetime not null)',
    );
  }

  override down(): void {
    this.addSql('drop table `note`');
  }
}
