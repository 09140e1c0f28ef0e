import { Migration } from '@mikro-orm/migrations';

export class Migration20260101000000_create_notes extends Migration {
  override up(): void {
    this.addSql(
      'create table "note" ("id" serial primary key, "title" varchar(255) not null, "text" text not null, "created_at" timestamptz not null)',
    );
  }

  override down(): void {
    this.addSql('drop table "note"');
  }
}
