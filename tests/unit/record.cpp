// A record defines each key once: its JSON, its schema and its table agree.
#include "libsim/report/record.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace {

using namespace sim::report;
using namespace sim::report::keys;
using testing::ElementsAre;

struct Spare {
    int count = 0;
    double share = 0;
};

struct Car {
    std::string model;
    int doors = 4;
    std::optional<double> price = {};
    std::optional<Spare> spare = {};

    bool has_spare() const { return spare.has_value(); }
    const Spare& the_spare() const { return *spare; }
};

const Record<Spare>& spare_record() {
    static const Record<Spare> record(
        "Spare wheels.", {whole<Spare>("count", "Number of them.", &Spare::count),
                          printed(number<Spare>("share", "Share of 1 of all wheels.", &Spare::share), "{:.2g}")});
    return record;
}

std::vector<Field<Car>> spare_fields() {
    std::vector<Field<Car>> fields = fields_of<Car>(spare_record(), &Car::the_spare);
    for (Field<Car>& field : fields) {
        field = only_if(field, &Car::has_spare);
    }
    return fields;
}

// A record with the spare wheel's fields as keys of its own.
Record<Car> flat_record() {
    return {"A car.", joined<Car>({{name<Car>("model", "Its model.", &Car::model),
                                    number_or_null<Car>("price", "US dollars; null: not known.", &Car::price)},
                                   spare_fields()})};
}

const Car plain{.model = "2CV", .price = 3000.125};
const Car with_spare{.model = "R4", .spare = Spare{1, 0.21875}};

TEST(Record, LeavesOutAKeyThatIsNotThereAndSaysNullOfAValueThatIsNotKnown) {
    EXPECT_EQ(flat_record().json(plain).dump(), R"({"model":"2CV","price":3000.125})");
    EXPECT_EQ(flat_record().json(with_spare).dump(), R"({"model":"R4","price":null,"count":1,"share":0.21875})");
}

TEST(Record, HasACellForEachKeyInATableAndAnEmptyOneWhereItIsNotThere) {
    const Table table = flat_record().table({plain, with_spare});
    EXPECT_EQ(table.columns[1].name, "price");
    EXPECT_THAT(table.rows, ElementsAre(ElementsAre("2CV", "3000.125", "", ""), ElementsAre("R4", "", "1", "0.22")));
}

TEST(Record, RequiresInItsSchemaTheKeysThatAreAlwaysThere) {
    const Json schema = flat_record().schema();
    EXPECT_EQ(schema["required"].dump(), R"(["model","price"])");
    EXPECT_EQ(schema["properties"]["share"]["description"], "Share of 1 of all wheels.");
    EXPECT_EQ(flat_record().columns(), schema["properties"]);
}

TEST(Record, OfAPartThatMayBeNullHasNoColumnOfIt) {
    const Record<Car> record("A car.", {whole<Car>("doors", "Its doors.", &Car::doors),
                                        part_or_null<Car>("spare", "Null: it has none.", spare_record(), &Car::spare)});
    EXPECT_EQ(record.json(plain).dump(), R"({"doors":4,"spare":null})");
    EXPECT_EQ(record.json(with_spare)["spare"].dump(), R"({"count":1,"share":0.21875})");
    EXPECT_EQ(record.schema()["properties"]["spare"]["anyOf"][1].dump(), R"({"type":"null"})");
    EXPECT_THAT(record.cells(plain), ElementsAre("4"));
}

// In a JSON Schema, keywords next to a reference are ignored.
TEST(Record, DescribesAReferenceWithoutHidingTheDescription) {
    const Field<Car> field =
        described(part<Car>("spare", spare_record(), &Car::the_spare, "#/definitions/spare"), "What lies in the boot.");
    EXPECT_EQ(field.schema.dump(),
              R"({"description":"What lies in the boot.","allOf":[{"$ref":"#/definitions/spare"}]})");
}

TEST(Record, GivesSomeOfItsFieldsInTheOrderThatIsAskedFor) {
    const std::vector<Field<Spare>> some = spare_record().fields({"share", "count"});
    EXPECT_EQ(some[0].key, "share");
    EXPECT_EQ(some[1].key, "count");
    EXPECT_THROW(spare_record().fields({"weight"}), sim::InternalError);
}

}  // namespace
