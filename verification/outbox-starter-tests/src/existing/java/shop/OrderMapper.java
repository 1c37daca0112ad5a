package shop;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;

@Mapper
interface OrderMapper {
    @Insert("INSERT INTO orders (id, customer, item) VALUES (#{id}, #{customer}, #{item})")
    void insert(String id, String customer, String item);
}
